import type { BatchOutcome, LeasedBatch, LineResult, LineRetry, ResultKind } from '../../gateway/batches/batch.ts';
import type { SqlClient } from '../../database/sql.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { StoredBatches, type StoredBatchesDependencies } from '../batches/batch-store.ts';
import { storeCommonFigures } from './figures/common-figures.ts';
import { judgedBy } from './judge/judge-rows.ts';
import { startJudge } from './judge/start-judge.ts';
import { hasUnmetered, meterPage, meterUnfinished } from './figures/meter-outputs.ts';
import { isRunBatch, type RunBatch, type RunLines } from './run-lines.ts';
import * as sql from './run-rows.ts';
import { noFigures, summarize, type ModelFigures } from './figures/run-summary.ts';

/** Usage that is not stored yet, for example in the journal of another process, is looked for again after this. */
const USAGE_RETRY_MS = 1_000;
/** After this, a model ends without it. */
const MAX_USAGE_WAIT = '10 minutes';

/** Its value is the UUID of the run. */
const JUDGE_TAG = 'dataset_run_judge';

export interface RunBatchesDependencies extends StoredBatchesDependencies {
  readonly lines: RunLines;
  /** Stores the usage that this process has recorded. */
  readonly storeUsage: () => Promise<void>;
  /** The event of a line's run. */
  readonly eventOf: (batchId: string, line: number, attempt: number, beganAt: number) => string;
}

const startFinish = `
update batches set status = 'finalizing', finalizing_at = coalesce(finalizing_at, clock_timestamp())
where id = $1 returning finalizing_at < clock_timestamp() - interval '${MAX_USAGE_WAIT}' as "isLate"`;

/** Batches of clients, and those of dataset runs, whose input and results are encrypted rows of the run. */
export class RunBatches extends StoredBatches {
  readonly #dependencies: RunBatchesDependencies;

  constructor(dependencies: RunBatchesDependencies) {
    super(dependencies);
    this.#dependencies = dependencies;
  }

  /** Requests of judges are tagged with the run, so that the usage log tells them from those of its models. */
  override async claim(leaseMs: number, accounts: readonly string[]): Promise<LeasedBatch | null> {
    const batch = await super.claim(leaseMs, accounts);
    if (batch === null || !isRunBatch(batch)) return batch;
    const judged = await this.#judgedBy(batch);
    return judged === null ? batch : { ...batch, tags: { [JUDGE_TAG]: batch.datasetRunId } };
  }

  override async readInput(batch: LeasedBatch, offset: number): Promise<AsyncIterable<Uint8Array>> {
    if (!isRunBatch(batch)) return super.readInput(batch, offset);
    return this.#dependencies.lines.input(batch, offset === 0 ? 0 : batch.nextLine);
  }

  /** The run before is billed, too. What providers wrote about its failure is not stored in plain text. */
  override async retry(batch: LeasedBatch, next: LineRetry): Promise<boolean> {
    if (!isRunBatch(batch)) return super.retry(batch, next);
    const { line, isUnsent = false } = next;
    if (isUnsent) return super.retry(batch, { ...next, lastError: null });
    const [before] = await this.lines(batch, line, line + 1);
    const { id, datasetRunId, datasetRunModel, linesBeganAt } = batch;
    const event = this.#dependencies.eventOf(id, line, before?.attempt ?? 0, before?.beganAt ?? linesBeganAt);
    const isHeld = await this.whileHeld(batch, async (client) => {
      await client.query(sql.addEvent, [datasetRunId, line, datasetRunModel, event]);
    });
    return isHeld && super.retry(batch, { ...next, lastError: null });
  }

  override async noteWait(batch: LeasedBatch, code: string): Promise<void> {
    if (!isRunBatch(batch)) return super.noteWait(batch, code);
    const { datasetRunId: id, datasetRunModel: model } = batch;
    await this.whileHeld(batch, async (client) => void (await client.query(sql.setWaiting, [id, model, code])));
  }

  override async record(batch: LeasedBatch, results: readonly LineResult[]): Promise<boolean> {
    if (!isRunBatch(batch)) return super.record(batch, results);
    const { lines } = this.#dependencies;
    const rows = await lines.outputs(batch, results);
    const withoutContent = results.map((each) => ({ ...each, result: '' }));
    return super.record(batch, withoutContent, (client) => lines.store(client, batch, rows));
  }

  override async finish(
    batch: LeasedBatch,
    outcome: BatchOutcome,
    output: (kind: ResultKind) => AsyncIterable<Uint8Array>,
  ): Promise<boolean> {
    if (!isRunBatch(batch)) return super.finish(batch, outcome, output);
    const started = await this.#startFinish(batch);
    if (started === null) return false;
    await mapDatabaseErrors(() => this.#dependencies.storeUsage());
    if ((await this.#isMetered(batch)) || started.isLate) return this.#end(batch, outcome);
    await this.waitFor(batch, USAGE_RETRY_MS);
    return false;
  }

  async #startFinish(batch: RunBatch): Promise<{ readonly isLate: boolean } | null> {
    const rows: { isLate: boolean }[] = [];
    await this.whileHeld(batch, async (client) => {
      rows.push(...(await client.query<{ isLate: boolean }>(startFinish, [batch.id])).rows);
    });
    return rows[0] ?? null;
  }

  /** The pages are not in one transaction, so that the lease can be renewed between them. */
  async #isMetered(batch: RunBatch): Promise<boolean> {
    const { database } = this.#dependencies;
    for (let after: number | null = -1; after !== null;) {
      const from: number = after;
      after = await mapDatabaseErrors(() => database.transaction((client) => meterPage(client, batch, from)));
    }
    const values = [batch.datasetRunId, batch.datasetRunModel];
    const [row] = await mapDatabaseErrors(() => database.query<{ found: boolean }>(hasUnmetered, values));
    return row?.found !== true;
  }

  async #end(batch: RunBatch, outcome: BatchOutcome): Promise<boolean> {
    const { datasetRunId: id, datasetRunModel: model } = batch;
    const judged = await this.#judgedBy(batch);
    return this.whileHeld(batch, async (client) => {
      // Two models of a run may end at the same time.
      await client.query(sql.lockRun, [id]);
      await meterUnfinished(client, batch);
      const isJudged = await startJudge(client, batch, outcome);
      const summary = isJudged ? null : await summaryOf(client, id, model);
      await client.query(sql.endModel, [id, model, outcome, summary]);
      // With its scores.
      if (judged !== null) await client.query(sql.endModel, [id, judged, outcome, await summaryOf(client, id, judged)]);
      await client.query('delete from batches where id = $1', [batch.id]);
      const ended = await client.query(sql.endRun, [id]);
      if (ended.rows.length === 0) return;
      await storeCommonFigures(client, id);
      await client.query(sql.dropInput, [id]);
      await client.query(sql.countOutputBytes, [id]);
    });
  }

  /** The position of the model that the batch judges; null for the batch of a model. */
  async #judgedBy({ datasetRunId, datasetRunModel }: RunBatch): Promise<number | null> {
    const { database } = this.#dependencies;
    const values = [datasetRunId, datasetRunModel];
    const [row] = await mapDatabaseErrors(() => database.query<{ judges: number | null }>(judgedBy, values));
    return row?.judges ?? null;
  }
}

/** As JSON. */
async function summaryOf(client: SqlClient, id: string, model: number): Promise<string> {
  const [figures = noFigures] = (await client.query<ModelFigures>(summarize, [[id], model])).rows;
  return JSON.stringify(figures);
}
