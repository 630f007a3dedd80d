import { randomUUID } from 'node:crypto';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { insertAudit, type AuditEvent } from '../../database/audit/record.ts';
import type { Database } from '../../database/database.ts';
import type { SqlClient } from '../../database/sql.ts';
import { SluiceError } from '../../errors/index.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { datasetNotFound } from '../datasets/dataset-reader.ts';
import { lockAccount, lockDataset, usage } from '../datasets/dataset-rows.ts';
import { datasetBytesFull } from '../datasets/datasets.service.ts';
import { insertJudge } from './judge/judge-rows.ts';
import { readRunInput, type NewRun, type RunInput } from './run-input.ts';
import { runModel, runModels, type RunModel, type UsableModel } from './run-models.ts';
import { runNotFound, type RunReader } from './run-reader.ts';
import * as sql from './run-rows.ts';
import type { RunRow } from './run-rows.ts';

export interface DatasetRunsDependencies {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly reader: Pick<RunReader, 'get'>;
  readonly usableModel: UsableModel;
  /** Of items and runs of one account. */
  readonly maxBytes: number;
  /** Called when there is a batch to run. */
  readonly onCreated: () => void;
  /** Called with the UUID of a batch that is to be cancelled. */
  readonly onCancelled: (batchId: string) => void;
  readonly clock?: Pick<Clock, 'now'>;
}

/** Of one account, that have not ended. */
const MAX_OPEN_RUNS = 10;
/** Of one account. */
const MAX_RUNS = 1_000;

const counts = `
select count(*)::int as runs, count(*) filter (where ended_at is null)::int as open from dataset_runs where account_id = $1`;

/**
 * Creates, cancels and deletes runs of datasets. Another account's run is not found. Every method also throws SluiceError
 * database_unavailable.
 */
export class DatasetRunsService {
  readonly #dependencies: DatasetRunsDependencies;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(dependencies: DatasetRunsDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
  }

  /**
   * Runs the items that the dataset has now, as this key.
   * @throws SluiceError not_found | bad_user_input | model_not_found | zero_retention | dataset_storage_full
   */
  async create(key: KeyRecord, datasetId: string, input: RunInput): Promise<RunRow> {
    const given = readRunInput(input);
    const { usableModel } = this.#dependencies;
    const models = runModels(usableModel, key, given.models);
    const judge = given.judge === null ? null : runModel(usableModel, key, given.judge.model, 'judge.model');
    const { accountId } = key;
    const id = randomUUID();
    await this.#transaction(async (client) => {
      await this.#requireRoom(client, accountId);
      const { rows } = await client.query<{ name: string }>(lockDataset, [datasetId, accountId]);
      if (rows.length === 0) throw datasetNotFound();
      await this.#insert(client, { id, key, datasetId, given, models, judge });
      await this.#requireSpace(client, accountId);
      const changes = [
        { field: 'models', before: null, after: given.models.join(', ') },
        { field: 'scorers', before: null, after: given.scorers.join(', ') },
        ...(judge === null ? [] : [{ field: 'judge', before: null, after: judge.name }]),
      ];
      await insertAudit(client, eventOf(accountId, 'dataset_run.created', id, given.name, changes));
    });
    this.#dependencies.onCreated();
    return this.#dependencies.reader.get(accountId, id);
  }

  /** Starts no more requests; those that run end. A run that has ended is unchanged. @throws SluiceError not_found */
  async cancel(accountId: string, id: string): Promise<RunRow> {
    const batches: string[] = [];
    const cancelBatches = async (client: SqlClient): Promise<void> => {
      const { rows } = await client.query<{ id: string }>(sql.cancelBatches, [id, accountId]);
      batches.push(...rows.map((row) => row.id));
    };
    await this.#transaction(async (client) => {
      // In the order in which its end locks them.
      await cancelBatches(client);
      const { name, isCancelled, isEnded } = await lock(client, accountId, id);
      if (isEnded || isCancelled) return;
      await client.query('update dataset_runs set cancel_asked_at = $1 where id = $2', [this.#now(), id]);
      await insertAudit(client, eventOf(accountId, 'dataset_run.cancelled', id, name));
    });
    // A model that ended in the meantime has started its judge. From now on none does.
    await this.#transaction(cancelBatches);
    for (const batch of batches) this.#dependencies.onCancelled(batch);
    if (batches.length > 0) this.#dependencies.onCreated();
    return this.#dependencies.reader.get(accountId, id);
  }

  /** With its outputs. Requests that run end, and are billed. @throws SluiceError not_found */
  async remove(accountId: string, id: string): Promise<void> {
    const batches: string[] = [];
    await this.#transaction(async (client) => {
      const text = 'delete from batches where dataset_run_id = $1 and account_id = $2 returning id';
      const { rows } = await client.query<{ id: string }>(text, [id, accountId]);
      batches.push(...rows.map((row) => row.id));
      const { name } = await lock(client, accountId, id);
      await client.query('delete from dataset_runs where id = $1', [id]);
      await insertAudit(client, eventOf(accountId, 'dataset_run.deleted', id, name));
    });
    for (const batch of batches) this.#dependencies.onCancelled(batch);
  }

  async #insert(client: SqlClient, { id, key, datasetId, given, models, judge }: Inserted): Promise<void> {
    const { accountId, memberId } = key;
    const { name, scorers, temperature, maxTokens } = given;
    await client.query(sql.insertRun, [
      id,
      accountId,
      datasetId,
      name,
      JSON.stringify(scorers),
      temperature,
      maxTokens,
      given.judge === null ? null : JSON.stringify(given.judge),
      memberId,
      this.#now(),
    ]);
    const { rows } = await client.query<{ items: number }>(sql.copyItems, [id, datasetId]);
    const items = rows[0]?.items ?? 0;
    if (items === 0) throw invalid('datasetId', 'The dataset is empty. Add requests to it first.');
    for (const [position, { name: model, listing }] of models.entries()) {
      await client.query(sql.insertModel, [id, position, model, !listing.isUnpriced]);
      const batch = [id, position, randomUUID(), items, key.id, memberId, key.credential === 'session'];
      await client.query(sql.insertBatch, batch);
      const judgePosition = models.length + position;
      if (judge !== null)
        await client.query(insertJudge, [id, judgePosition, position, judge.name, !judge.listing.isUnpriced]);
    }
  }

  /** One creation at a time for each account. @throws SluiceError zero_retention | bad_user_input | dataset_storage_full */
  async #requireRoom(client: SqlClient, accountId: string): Promise<void> {
    const [account] = (await client.query<{ zero_retention: boolean }>(lockAccount, [accountId])).rows;
    if (account === undefined) throw new SluiceError('not_found', { values: { what: 'account' } });
    if (account.zero_retention)
      throw new SluiceError('zero_retention', {
        values: { what: 'A dataset', next: 'Send its models one request each.' },
      });
    const [{ runs, open } = { runs: 0, open: 0 }] = (
      await client.query<{ runs: number; open: number }>(counts, [accountId])
    ).rows;
    if (open >= MAX_OPEN_RUNS)
      throw invalid('datasetId', `${open} runs are in progress. Wait until one ends, or cancel one.`);
    if (runs >= MAX_RUNS)
      throw new SluiceError('dataset_storage_full', {
        values: {
          used: `${runs + 1} runs`,
          limit: `${MAX_RUNS} runs`,
          next: 'Delete runs that are not needed: `datasetRuns` lists them.',
        },
      });
  }

  /** With the items of the new run. Its outputs may exceed the limit. @throws SluiceError dataset_storage_full */
  async #requireSpace(client: SqlClient, accountId: string): Promise<void> {
    const { maxBytes } = this.#dependencies;
    const [{ bytes } = { bytes: '0' }] = (await client.query<{ bytes: string }>(usage, [accountId])).rows;
    if (Number(bytes) > maxBytes) throw datasetBytesFull(bytes, maxBytes);
  }

  #transaction(work: (client: SqlClient) => Promise<void>): Promise<void> {
    return mapDatabaseErrors(() => this.#dependencies.database.transaction(work));
  }

  #now(): Date {
    return new Date(this.#clock.now());
  }
}

interface Inserted {
  readonly id: string;
  readonly key: KeyRecord;
  readonly datasetId: string;
  readonly given: NewRun;
  readonly models: readonly RunModel[];
  readonly judge: RunModel | null;
}

interface LockedRun {
  readonly name: string;
  readonly isCancelled: boolean;
  readonly isEnded: boolean;
}

async function lock(client: SqlClient, accountId: string, id: string): Promise<LockedRun> {
  const text = `
    select name, cancel_asked_at is not null as "isCancelled", ended_at is not null as "isEnded"
    from dataset_runs where id = $1 and account_id = $2 for update`;
  const [run] = (await client.query<LockedRun>(text, [id, accountId])).rows;
  if (run === undefined) throw runNotFound();
  return run;
}

function eventOf(
  accountId: string,
  action: string,
  id: string,
  label: string,
  changes: AuditEvent['changes'] = [],
): AuditEvent {
  return { accountId, action, target: { type: 'dataset_run', id, label }, changes };
}

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('bad_user_input', { param, values: { reason } });
}
