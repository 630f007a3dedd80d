import type { Database } from '../../database/database.ts';
import type { SqlClient } from '../../database/sql.ts';
import type { LeasedBatch } from '../../gateway/batches/batch.ts';
import type {
  CollectedLine,
  LineResponse,
  ProviderBatch,
  ProviderBatchChange,
  ProviderBatchStore,
} from '../../gateway/batches/provider/provider-batch.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import type { BatchLeases } from './batch-leases.ts';
import { boundedPage, PAGE_BYTES } from './bounded-page.ts';
import { ms } from './line-rows.ts';

const PAGE_ROWS = 100;

const select = `
select p.id, p.connection_id as "connectionId", p.model, p.upstream_model as "upstreamModel", p.kind, p.stage, p.total, p.bytes,
  json_build_object('succeeded', p.succeeded, 'failed', p.failed) as counts,
  p.reserved_nano::text as "reservedNano", p.upload_id as "uploadId", p.external_id as "externalId",
  ${ms('p.creating_since')} as "creatingSince", p.cancelled_at is not null as "isCancelled",
  ${ms('p.created_at')} as "createdAt"
from provider_batches p`;

const listAll = `${select} where p.batch_id = $1 order by p.id`;

const listOpen = `
${select} join batches b on b.id = p.batch_id
where b.account_id = $1 and p.stage in ('uploading', 'creating', 'running') order by p.id`;

type Row = Omit<ProviderBatch, 'reservedNano'> & { readonly reservedNano: string };

const saveBatch = `
insert into provider_batches (id, batch_id, connection_id, model, upstream_model, kind, total, bytes, reserved_nano, created_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, to_timestamp($10::double precision / 1000))
on conflict (id) do update set total = excluded.total, bytes = excluded.bytes, reserved_nano = excluded.reserved_nano`;

const saveLines = `
insert into batch_lines (batch_id, line, provider_batch_id, part, began_at)
select $1, line, provider_batch_id, part, to_timestamp(began_at / 1000)
from unnest($2::int[], $3::uuid[], $4::text[], $5::double precision[]) as given (line, provider_batch_id, part, began_at)`;

const changeOne = `
update provider_batches set stage = coalesce($2, stage), upload_id = coalesce($3, upload_id),
  external_id = coalesce($4, external_id),
  creating_since = coalesce(to_timestamp($5::double precision / 1000), creating_since),
  cancelled_at = case when $6::boolean then clock_timestamp() else cancelled_at end
where id = $1`;

/** Those of all batches of providers are summed in the batch. */
const changeCounts = `
with known as (select succeeded, failed from provider_batches where id = $2),
changed as (update provider_batches set succeeded = $3::int, failed = $4::int where id = $2)
update batches set provider_succeeded = greatest(0, provider_succeeded + $3::int - known.succeeded),
  provider_errored = greatest(0, provider_errored + $4::int - known.failed)
from known where batches.id = $1`;

/** They are not needed any more once the provider has them. */
const dropParts =
  'update batch_lines set part = null where batch_id = $1 and provider_batch_id = $2 and part is not null';

const partsAfter = boundedPage(
  'line, part',
  'part',
  `batch_id = (select batch_id from provider_batches where id = $1) and provider_batch_id = $1 and line > $2
    and part is not null`,
);

const saveResponses = `
update batch_lines set answer_status = given.status, answer = given.body
from unnest($3::int[], $4::int[], $5::text[]) as given (line, status, body)
where batch_id = $1 and provider_batch_id = $2 and batch_lines.line = given.line and is_success is null and answer is null`;

const saveOneResponse = `
update batch_lines set answer_status = $3, answer = $4
where batch_id = $1 and provider_batch_id = $2 and is_success is null and answer is null`;

/** Stores which lines of batches are at providers. */
export class StoredProviderBatches implements ProviderBatchStore {
  readonly #database: Database;
  readonly #leases: Pick<BatchLeases, 'whileHeld'>;
  readonly #onChanged: (accountId: string, id: string) => void;

  /** @param onChanged called after a change that clients see, with an account and its batch */
  constructor(
    database: Database,
    leases: Pick<BatchLeases, 'whileHeld'>,
    onChanged: (accountId: string, id: string) => void = () => undefined,
  ) {
    this.#database = database;
    this.#leases = leases;
    this.#onChanged = onChanged;
  }

  list({ id }: LeasedBatch): Promise<readonly ProviderBatch[]> {
    return this.#read(listAll, id);
  }

  /** Those of an account that providers may still have. */
  openOf(accountId: string): Promise<readonly ProviderBatch[]> {
    return this.#read(listOpen, accountId);
  }

  collect(batch: LeasedBatch, lines: readonly CollectedLine[], batches: readonly ProviderBatch[]): Promise<boolean> {
    return this.#leases.whileHeld(batch, async (client) => {
      for (const each of batches) await client.query(saveBatch, valuesOf(batch, each));
      await client.query(saveLines, [
        batch.id,
        lines.map(({ line }) => line),
        lines.map(({ providerBatchId }) => providerBatchId),
        lines.map(({ part }) => part),
        lines.map(({ beganAt }) => beganAt),
      ]);
    });
  }

  async change(batch: LeasedBatch, id: string, change: ProviderBatchChange): Promise<boolean> {
    const { stage = null, uploadId = null, externalId = null, creatingSince = null, isCancelled = false } = change;
    const { counts } = change;
    const isHeld = await this.#leases.whileHeld(batch, async (client) => {
      await client.query(changeOne, [id, stage, uploadId, externalId, creatingSince, isCancelled]);
      if (stage === 'running') await client.query(dropParts, [batch.id, id]);
      if (counts !== undefined) await client.query(changeCounts, [batch.id, id, counts.succeeded, counts.failed]);
    });
    if (isHeld && counts !== undefined) this.#onChanged(batch.accountId, batch.id);
    return isHeld;
  }

  async *parts(id: string): AsyncGenerator<string, void> {
    for (let after = -1; ;) {
      const values = [id, after, PAGE_ROWS, PAGE_BYTES];
      const rows = await mapDatabaseErrors(() =>
        this.#database.query<{ line: number; part: string }>(partsAfter, values),
      );
      const last = rows.at(-1);
      if (last === undefined) return;
      for (const { part } of rows) yield part;
      after = last.line;
    }
  }

  respond(batch: LeasedBatch, id: string, responses: readonly LineResponse[]): Promise<boolean> {
    const lines = responses.map(({ line }) => line);
    const statuses = responses.map(({ status }) => status);
    const bodies = responses.map(({ body }) => storable(body));
    return this.#write(batch, saveResponses, [batch.id, id, lines, statuses, bodies]);
  }

  respondToAll(
    batch: LeasedBatch,
    id: string,
    { status, body }: Pick<LineResponse, 'status' | 'body'>,
  ): Promise<boolean> {
    return this.#write(batch, saveOneResponse, [batch.id, id, status, storable(body)]);
  }

  async #read(text: string, id: string): Promise<readonly ProviderBatch[]> {
    const rows = await mapDatabaseErrors(() => this.#database.query<Row>(text, [id]));
    return rows.map((row) => ({ ...row, reservedNano: BigInt(row.reservedNano) }));
  }

  #write(batch: LeasedBatch, text: string, values: readonly unknown[]): Promise<boolean> {
    return this.#leases.whileHeld(batch, async (client: SqlClient) => void (await client.query(text, [...values])));
  }
}

function valuesOf(batch: LeasedBatch, each: ProviderBatch): unknown[] {
  const { id, connectionId, model, upstreamModel, kind, total, bytes, reservedNano, createdAt } = each;
  return [id, batch.id, connectionId, model, upstreamModel, kind, total, bytes, String(reservedNano), createdAt];
}

/** PostgreSQL stores no NUL, and JSON has it only as an escape. */
function storable(json: string): string {
  return json.replaceAll('\0', '');
}
