import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { SluiceError } from '../../../src/errors/index.ts';
import type { LeasedBatch } from '../../../src/gateway/batches/batch.ts';
import { inputLineOf, readInputLine } from '../../../src/gateway/batches/input-lines.ts';
import { lineIds } from '../../../src/gateway/batches/line-identity.ts';
import { lineResult } from '../../../src/gateway/batches/line-result.ts';
import { eventIdOf } from '../../../src/gateway/event-id.ts';
import { replayResponse } from '../../../src/gateway/replay/replay-response.ts';
import type { UsageRecord } from '../../../src/gateway/usage/usage-record.ts';
import { MasterKeys } from '../../../src/secrets/master-keys.ts';
import { BatchesService } from '../../../src/services/batches/batches.service.ts';
import { ContentSeal } from '../../../src/services/content-log/content-seal.ts';
import {
  DatasetRunsService,
  type DatasetRunsDependencies,
} from '../../../src/services/dataset-runs/dataset-runs.service.ts';
import { endRuns } from '../../../src/services/dataset-runs/end-runs.ts';
import { RunBatches } from '../../../src/services/dataset-runs/run-batches.ts';
import { RunExport } from '../../../src/services/dataset-runs/run-export.ts';
import { RunLines } from '../../../src/services/dataset-runs/run-lines.ts';
import { RunReader, type RunResult } from '../../../src/services/dataset-runs/run-reader.ts';
import type { RunRow } from '../../../src/services/dataset-runs/run-rows.ts';
import { usage } from '../../../src/services/datasets/dataset-rows.ts';
import { accountReach } from '../../../src/services/object-reach.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { describeOnEachDatabase } from '../../harness/databases.ts';
import { key } from '../../harness/gateway.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';
import { newAccount } from '../responses/given-response.ts';

const LEASE_MS = 60_000;
/** Its words stand in no row. */
const SECRET = 'the word of this conversation';

describeOnEachDatabase('dataset runs', (databases) => {
  let database: Database;
  let reader: RunReader;
  let dependencies: DatasetRunsDependencies;
  let service: DatasetRunsService;
  let batches: RunBatches;
  let accountId: string;
  let datasetId: string;
  /** What the process has recorded, and the database does not have yet. */
  let journal: UsageRecord[] = [];
  const cancelled: string[] = [];
  const masterKey = 'the master key of this test';
  const seal = new ContentSeal(masterKey);
  const noLimit = { spend: () => undefined };

  beforeAll(async () => {
    database = await databases.open();
    reader = new RunReader(database, seal);
    dependencies = {
      database,
      reader,
      maxBytes: 1_000_000,
      usableModel: (_key, id) => ({
        id,
        created: 0,
        ownedBy: 'sandbox',
        name: id,
        provider: 'sandbox',
        contextWindow: null,
        maxOutputTokens: null,
        inputModalities: ['text'],
        outputModalities: ['text'],
        capabilities: ['chat'],
        pricing: null,
        isUnpriced: id === 'unpriced',
        deprecation: null,
        region: null,
        dataPolicy: { trainsOnData: null, retentionDays: null, isSetByConnection: false, source: null },
      }),
      onCreated: () => undefined,
      onCancelled: (id) => cancelled.push(id),
    };
    service = new DatasetRunsService(dependencies);
    const lines = new RunLines({
      database,
      seal,
      masterKeys: MasterKeys.of(masterKey),
      inputLine: inputLineOf,
      eventIdOf,
      messageOf: replayResponse,
    });
    const unused = () => expect.fail('a run needs no file');
    batches = new RunBatches({
      database,
      blobs: { put: unused, get: unused, delete: unused },
      files: { open: unused, create: unused },
      onChanged: () => undefined,
      now: () => Date.now(),
      lines,
      storeUsage: async () => {
        const rows = journal;
        journal = [];
        if (rows.length > 0) await new UsageStore(database, refuse).store(rowsJson(rows));
      },
      eventOf: (...line) => lineIds(...line).eventId,
    });
  });

  beforeEach(async () => {
    await database.query('delete from batches');
    journal = [];
    accountId = await newAccount(database);
    datasetId = randomUUID();
    const text =
      'insert into datasets (id, account_id, name, created_at, updated_at) values ($1, $2, $3, now(), now())';
    await database.query(text, [datasetId, accountId, 'Mails']);
  });

  const refuse = (_row: unknown, error: unknown): never => {
    throw new Error('A row was not stored.', { cause: error });
  };

  async function addItem(position: number, question: string, answer: string): Promise<string> {
    const id = randomUUID();
    const document = Buffer.from(
      JSON.stringify({
        input: { messages: [{ role: 'user', content: question }], parameters: { temperature: 1, max_tokens: 9 } },
        output: { role: 'assistant', content: answer },
        metadata: {},
      }),
    );
    const sealed = await seal.seal(accountId, [{ eventId: id, document }]);
    await database.query(
      `insert into dataset_items (id, account_id, dataset_id, position, event_id, bytes, content, wrapped_key, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, now())`,
      [id, accountId, datasetId, position, randomUUID(), document.length, sealed.bytes, sealed.wrappedKeys],
    );
    return id;
  }

  const create = (models: readonly string[], more: object = {}): Promise<RunRow> =>
    service.create({ ...key, accountId }, datasetId, { models, scorers: ['EXACT_MATCH'], ...more });

  async function claimed(): Promise<LeasedBatch> {
    const batch = await batches.claim(LEASE_MS, []);
    return batch ?? expect.fail('no batch');
  }

  async function bodiesOf(batch: LeasedBatch, offset = 0): Promise<object[]> {
    const bodies: object[] = [];
    for await (const line of await batches.readInput(batch, offset)) bodies.push(readInputLine(Buffer.from(line)).body);
    return bodies;
  }

  /** A line of a run's batch that has ended, with its usage. */
  function answered(batch: LeasedBatch, line: number, content: string | null, more: Partial<UsageRecord> = {}) {
    const { eventId, requestId } = lineIds(batch.id, line, 0, batch.linesBeganAt);
    const body = Buffer.from(JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content } }] }));
    journal.push(used(eventId, batch.linesBeganAt, more));
    return lineResult({ protocol: 'openai', line, customId: String(line), requestId }, { type: 'answered', body });
  }

  function used(eventId: string, beganAt: number, more: Partial<UsageRecord>): UsageRecord {
    const given = { event_id: eventId, began_at: new Date(beganAt).toISOString(), account_id: accountId };
    return usageRecord({ cost_nano: '5', output_tokens: 10, duration_ms: 100, ...given, ...more });
  }

  const finish = (batch: LeasedBatch, outcome: 'completed' | 'cancelled' | 'expired' = 'completed') =>
    batches.finish(batch, outcome, () => expect.fail('a run writes no file'));

  const resultsOf = async ({ id }: RunRow, filter: object = {}): Promise<readonly RunResult[]> => {
    const all = { onlyFailed: false, onlyDifferent: false, ...filter };
    const page = { limit: 10, after: null, backwards: false };
    const reading = { withOutputs: true, withItems: false, budget: noLimit };
    return (await reader.results(accountId, id, all, page, reading)).rows;
  };

  const codeOf = (failing: Promise<unknown>): Promise<unknown> =>
    failing.then(
      () => null,
      (error: unknown) => (error instanceof SluiceError ? error.code : error),
    );

  it('run the items as they were at the creation, with the given parameters', async () => {
    const [first] = [await addItem(1, 'one', 'A'), await addItem(2, 'two', 'B')];
    const run = await create(['m'], { maxTokens: 3 });
    expect(run).toMatchObject({ status: 'QUEUED', items: 2, started_ms: null });
    await database.query('delete from dataset_items where id = $1', [first]);
    await addItem(3, 'three', 'C');
    const batch = await claimed();
    expect(batch).toMatchObject({ status: 'in_progress', pass: 'run', total: 2, datasetRunId: run.id });
    const parameters = { temperature: 1, max_completion_tokens: 3, model: 'm', stream: false };
    expect(await bodiesOf(batch)).toEqual([
      { ...parameters, messages: [{ role: 'user', content: 'one' }] },
      { ...parameters, messages: [{ role: 'user', content: 'two' }] },
    ]);
    expect(await bodiesOf({ ...batch, nextLine: 1 }, 100)).toMatchObject([{ messages: [{ content: 'two' }] }]);
    expect(await reader.get(accountId, run.id)).toMatchObject({ status: 'RUNNING' });
    expect((await resultsOf(run)).map(({ item_id: id }) => id)[0]).toBe(first);
  });

  it('have exact figures once their usage is stored, and end with the last model', async () => {
    for (const [at, answer] of ['A', 'B'].entries()) await addItem(at + 1, 'Which?', answer);
    const run = await create(['m', 'unpriced']);
    const [one, two] = [await claimed(), await claimed()];
    await batches.record(one, [answered(one, 0, 'A'), answered(one, 1, 'A', { cost_nano: '7' })]);
    await finish(one);
    expect(await reader.get(accountId, run.id)).toMatchObject({ status: 'QUEUED', ended_ms: null });
    await batches.record(two, [answered(two, 0, ' A\n'), answered(two, 1, 'C')]);
    await finish(two);
    expect(await reader.get(accountId, run.id)).toMatchObject({ status: 'COMPLETED', has_expired: false });
    const models = await reader.models([run.id]);
    expect(models.map(({ model, isPriced, outcome }) => [model, isPriced, outcome])).toEqual([
      ['m', true, 'completed'],
      ['unpriced', false, 'completed'],
    ]);
    expect(models[0]?.summary).toMatchObject({
      completed: 2,
      failed: 0,
      costNano: '12',
      inputTokens: 24,
      outputTokens: 20,
      latencyP50Ms: 100,
      latencyP95Ms: 100,
      outputTokensPerSecond: 100,
      scores: [{ scorer: 0, average: 0.5, count: 2 }],
    });
    expect((await resultsOf(run, { onlyDifferent: true })).map(({ position }) => position)).toEqual([2]);
    const [{ outputs } = { outputs: [] }] = await resultsOf(run);
    expect(outputs[0]).toMatchObject({ status: 'completed', scores: [1], cost_nano: '5', duration_ms: 100 });
    expect(outputs[0]?.document).toEqual({ message: { role: 'assistant', content: 'A' }, errorMessage: null });
    // What was needed to run them is deleted.
    const left =
      'select (select count(*) from batches) + (select count(*) from batch_lines) + (select count(content) from dataset_run_items where run_id = $1) as rows';
    expect(Number((await database.query<{ rows: string }>(left, [run.id]))[0]?.rows)).toBe(0);
  });

  it('have figures over the items that all models completed, and scores over those that all have one of', async () => {
    for (const [at, answer] of ['A', 'B', '', 'D'].entries()) await addItem(at + 1, 'Which?', answer);
    const run = await create(['m', 'n'], { scorers: ['EXACT_MATCH', 'JSON_VALID'] });
    const [one, two] = [await claimed(), await claimed()].toSorted(
      (a, b) => Number(a.datasetRunModel) - Number(b.datasetRunModel),
    );
    if (one === undefined || two === undefined) expect.fail('no batch');
    const failed = (batch: LeasedBatch, line: number) => {
      const { requestId } = lineIds(batch.id, line, 0, batch.linesBeganAt);
      const error = new SluiceError('unsupported_value', { param: 'messages', values: { reason: 'image' } });
      const of = { protocol: 'openai', line, customId: String(line), requestId } as const;
      return { ...lineResult(of, { type: 'failed', error, wasSent: false }), isUnsent: true };
    };
    const fast = { duration_ms: 20, cost_nano: '3' };
    // Each completes three items, and both the second and the third one.
    await batches.record(one, [
      answered(one, 0, 'A'),
      answered(one, 1, 'X'),
      answered(one, 2, 'X', fast),
      failed(one, 3),
    ]);
    expect((await reader.models([run.id]))[0]?.common).toBeNull();
    await finish(one);
    expect((await reader.models([run.id]))[0]?.common).toBeNull();
    await batches.record(two, [
      failed(two, 0),
      answered(two, 1, 'B', fast),
      answered(two, 2, '1', fast),
      answered(two, 3, 'D'),
    ]);
    await finish(two);
    const common = (await reader.models([run.id])).map((model) => model.common);
    expect(common[0]).toMatchObject({
      completed: 2,
      failed: 0,
      costNano: '8',
      latencyP50Ms: 60,
      scores: [
        { scorer: 0, average: 0, count: 1 },
        { scorer: 1, average: 0, count: 2 },
      ],
    });
    expect(common[1]).toMatchObject({
      completed: 2,
      costNano: '6',
      latencyP50Ms: 20,
      scores: [
        { scorer: 0, average: 1, count: 1 },
        { scorer: 1, average: 0.5, count: 2 },
      ],
    });
  });

  it('wait for usage that is in no log yet', async () => {
    await addItem(1, 'Which?', 'A');
    const run = await create(['m']);
    const batch = await claimed();
    await batches.record(batch, [answered(batch, 0, 'A')]);
    const late = journal;
    journal = [];
    await finish(batch);
    expect(await reader.get(accountId, run.id)).toMatchObject({ ended_ms: null });
    expect((await resultsOf(run))[0]?.outputs[0]).toMatchObject({ status: 'completed', is_metered: false });
    journal = late;
    await finish(batch);
    expect((await reader.models([run.id]))[0]?.summary).toMatchObject({ costNano: '5' });
  });

  it('count what a request has cost that failed before another one', async () => {
    await addItem(1, 'Which?', 'A');
    const run = await create(['m']);
    const batch = await claimed();
    const first = lineIds(batch.id, 0, 0, batch.linesBeganAt);
    journal.push(used(first.eventId, batch.linesBeganAt, { cost_nano: '100', status: 'failed' }));
    const again = { line: 0, attempt: 1, beganAt: batch.linesBeganAt + 1, failures: 1, retryAt: null };
    await batches.retry(batch, { ...again, lastError: SECRET });
    expect((await resultsOf(run))[0]?.outputs[0]).toMatchObject({ status: null });
    const { eventId, requestId } = lineIds(batch.id, 0, 1, again.beganAt);
    journal.push(used(eventId, again.beganAt, {}));
    const body = Buffer.from(JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'A' } }] }));
    const result = lineResult({ protocol: 'openai', line: 0, customId: '0', requestId }, { type: 'answered', body });
    // A result that is stored again after a crash changes nothing.
    for (let times = 0; times < 2; times++) await batches.record(batch, [result]);
    await finish(batch);
    expect((await reader.models([run.id]))[0]?.summary).toMatchObject({
      completed: 1,
      costNano: '105',
      outputTokens: 10,
    });
    expect((await resultsOf(run))[0]?.outputs[0]?.event_id).toBe(eventId);
  });

  it('wait for the usage of each request of a line, which another process may store later', async () => {
    await addItem(1, 'Which?', 'A');
    const run = await create(['m']);
    const batch = await claimed();
    const first = lineIds(batch.id, 0, 0, batch.linesBeganAt);
    const again = { line: 0, attempt: 1, beganAt: batch.linesBeganAt + 1, failures: 1, retryAt: null, lastError: null };
    await batches.retry(batch, again);
    const { eventId, requestId } = lineIds(batch.id, 0, 1, again.beganAt);
    const body = Buffer.from(JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'A' } }] }));
    const result = lineResult({ protocol: 'openai', line: 0, customId: '0', requestId }, { type: 'answered', body });
    await batches.record(batch, [result]);
    journal.push(used(eventId, again.beganAt, {}));
    await finish(batch);
    expect(await reader.get(accountId, run.id)).toMatchObject({ ended_ms: null });
    expect((await resultsOf(run))[0]?.outputs[0]).toMatchObject({
      is_metered: false,
      cost_nano: '5',
      duration_ms: 100,
    });
    journal.push(used(first.eventId, batch.linesBeganAt, { cost_nano: '100', status: 'failed' }));
    await finish(batch);
    expect((await reader.models([run.id]))[0]).toMatchObject({ outcome: 'completed', summary: { costNano: '105' } });
  });

  it('wait for no usage of requests that no provider was sent', async () => {
    for (const position of [1, 2]) await addItem(position, 'Which?', 'A');
    const run = await create(['m']);
    const batch = await claimed();
    const refused = (line: number, attempt: number, beganAt: number) => {
      const of = {
        protocol: 'openai',
        line,
        customId: String(line),
        ...lineIds(batch.id, line, attempt, beganAt),
      } as const;
      const error = new SluiceError('model_not_found', { values: { model: 'm' } });
      return { ...lineResult(of, { type: 'failed', error, wasSent: false }), isUnsent: true };
    };
    // The first request of line 1 was billed, the second one was replaced before it was sent.
    const billed = lineIds(batch.id, 1, 0, batch.linesBeganAt);
    const next = { line: 1, beganAt: batch.linesBeganAt + 1, failures: 1, retryAt: null, lastError: null };
    await batches.retry(batch, { ...next, attempt: 1 });
    await batches.retry(batch, { ...next, attempt: 2, beganAt: next.beganAt + 1, isUnsent: true });
    await batches.record(batch, [refused(0, 0, batch.linesBeganAt), refused(1, 2, next.beganAt + 1)]);
    const [first, second] = (await resultsOf(run)).map(({ outputs }) => outputs[0]);
    expect(first).toMatchObject({ status: 'failed', is_metered: true, cost_nano: '0' });
    expect(second).toMatchObject({ status: 'failed', is_metered: false, event_id: billed.eventId });
    await finish(batch);
    expect(await reader.get(accountId, run.id)).toMatchObject({ ended_ms: null });
    journal.push(used(billed.eventId, batch.linesBeganAt, { cost_nano: '100', status: 'failed' }));
    await finish(batch);
    expect((await reader.models([run.id]))[0]).toMatchObject({
      outcome: 'completed',
      summary: { failed: 2, costNano: '100' },
    });
  });

  it('meter a bounded number of outputs while results are recorded, and all of them at the end', async () => {
    const items = 250;
    for (let position = 1; position <= items; position++) await addItem(position, 'Which?', 'A');
    const run = await create(['m']);
    const batch = await claimed();
    const lines = Array.from({ length: items }, (_, line) => answered(batch, line, 'A'));
    await new UsageStore(database, refuse).store(rowsJson(journal));
    await batches.record(batch, lines);
    const metered = 'select count(*)::int as count from dataset_run_outputs where run_id = $1 and is_metered';
    expect(await database.query(metered, [run.id])).toEqual([{ count: 32 }]);
    await finish(batch);
    expect((await reader.models([run.id]))[0]?.summary).toMatchObject({
      completed: items,
      costNano: String(5 * items),
    });
  });

  it('count what the requests have cost that were to run again when they were cancelled', async () => {
    await addItem(1, 'Which?', 'A');
    const run = await create(['m']);
    const batch = await claimed();
    const { eventId } = lineIds(batch.id, 0, 0, batch.linesBeganAt);
    journal.push(used(eventId, batch.linesBeganAt, { cost_nano: '100', status: 'failed' }));
    const beganAt = batch.linesBeganAt + 1;
    await batches.retry(batch, { line: 0, attempt: 1, beganAt, failures: 1, retryAt: null, lastError: null });
    await finish(batch, 'cancelled');
    const summary = { completed: 0, failed: 0, costNano: '100', outputTokens: 0 };
    expect((await reader.models([run.id]))[0]).toMatchObject({ outcome: 'cancelled', summary });
  });

  it('store no output that is too long to be read with those of other models', async () => {
    const positions = [1, 2, 3];
    for (const position of positions) await addItem(position, 'Which?', 'A');
    const run = await create(['m']);
    const batch = await claimed();
    // Two bytes each: few enough characters, and too many bytes.
    const outputs = ['A'.repeat(799_000), 'A'.repeat(800_001), 'é'.repeat(400_001)];
    await batches.record(
      batch,
      outputs.map((output, line) => answered(batch, line, output)),
    );
    await finish(batch);
    const stored = (await resultsOf(run)).map(({ outputs: [output] }) => output);
    // A page ends early where its content is long.
    expect(stored).toHaveLength(3);
    expect(stored[0]).toMatchObject({ status: 'completed', error_code: null, scores: [0] });
    expect(stored[0]?.document?.message?.content).toBe(outputs[0]);
    for (const output of stored.slice(1)) {
      expect(output).toMatchObject({ status: 'failed', error_code: 'output_too_long', scores: null, cost_nano: '5' });
      expect(output?.document?.message).toBeNull();
      expect(output?.document?.errorMessage).toContain('800000 bytes');
    }
    expect((await reader.models([run.id]))[0]?.summary).toMatchObject({
      completed: 1,
      failed: 2,
      costNano: '15',
      errors: [{ code: 'output_too_long', count: 2 }],
    });
  });

  it('score 0 where a request succeeded without output', async () => {
    for (const position of [1, 2]) await addItem(position, 'Which?', 'A');
    const run = await create(['m']);
    const batch = await claimed();
    await batches.record(batch, [answered(batch, 0, null), answered(batch, 1, 'A')]);
    await finish(batch);
    expect((await reader.models([run.id]))[0]?.summary).toMatchObject({
      completed: 2,
      scores: [{ scorer: 0, average: 0.5, count: 2 }],
    });
    const [{ outputs } = { outputs: [] }] = await resultsOf(run);
    expect(outputs[0]).toMatchObject({ status: 'completed', scores: [0], document: { message: null } });
  });

  it('count toward the bytes of the account, with their items until they end', async () => {
    await addItem(1, 'Which?', 'A');
    await addItem(2, 'Which?', 'B');
    const used = async (): Promise<number> =>
      Number((await database.query<{ bytes: string }>(usage, [accountId]))[0]?.bytes);
    const items = await used();
    const run = await create(['m']);
    expect(await used()).toBe(2 * items);
    const batch = await claimed();
    const results = [answered(batch, 0, 'A'), answered(batch, 1, 'A longer output')];
    // Results that are stored again after a crash are counted once.
    for (let times = 0; times < 2; times++) await batches.record(batch, results);
    const outputs = `select sum(bytes)::int as bytes from dataset_run_outputs where run_id = $1`;
    const [{ bytes } = { bytes: 0 }] = await database.query<{ bytes: number }>(outputs, [run.id]);
    expect(bytes).toBeGreaterThan(0);
    expect(await used()).toBe(2 * items + bytes);
    await finish(batch);
    expect(await used()).toBe(items + bytes);
    const small = new DatasetRunsService({ ...dependencies, maxBytes: 2 * items + bytes - 1 });
    const input = { models: ['m'], scorers: [] };
    const refused = await small.create({ ...key, accountId }, datasetId, input).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'dataset_storage_full', message: expect.stringMatching(/or delete runs/) });
    expect(await used()).toBe(items + bytes);
    await service.remove(accountId, run.id);
    expect(await used()).toBe(items);
    await small.create({ ...key, accountId }, datasetId, input);
    await database.transaction((client) => endRuns(client, datasetId));
    expect(await used()).toBe(items);
  });

  it('of deleted datasets are listed, count toward the limit, and say what to delete', async () => {
    await addItem(1, 'Which?', 'A');
    const run = await create(['m']);
    await database.transaction(async (client) => {
      await endRuns(client, datasetId);
      await client.query('delete from datasets where id = $1', [datasetId]);
    });
    await database.query(`update dataset_runs set created_at = created_at - interval '1 hour'`);
    datasetId = randomUUID();
    const dataset =
      'insert into datasets (id, account_id, name, created_at, updated_at) values ($1, $2, $3, now(), now())';
    await database.query(dataset, [datasetId, accountId, 'Others']);
    await addItem(1, 'Which?', 'A');
    const last = await create(['m']);
    const all = await reader.list(accountId, null, 10, null);
    expect(all.rows.map(({ id }) => id)).toEqual([last.id, run.id]);
    expect((await reader.list(accountId, datasetId, 10, null)).rows.map(({ id }) => id)).toEqual([last.id]);
    expect((await reader.list(await newAccount(database), null, 10, null)).rows).toEqual([]);
    const copies = `
      insert into dataset_runs (id, account_id, name, scorers, item_count, created_at, ended_at, outcome)
      select gen_random_uuid(), account_id, name, scorers, 0, created_at, now(), 'completed'
      from dataset_runs, generate_series(1, 998) where id = $1`;
    await database.query(copies, [last.id]);
    const refused = await create(['m']).catch((error: unknown) => error);
    const message = expect.stringContaining('Delete runs that are not needed');
    expect(refused).toMatchObject({ code: 'dataset_storage_full', message });
  });

  it('name the code of the error that their requests wait for, until results are stored', async () => {
    await addItem(1, 'Which?', 'A');
    const run = await create(['m', 'n']);
    const batch = await claimed();
    const waits = async (): Promise<(string | null)[]> =>
      (await reader.models([run.id])).map(({ waitingFor }) => waitingFor);
    expect(await waits()).toEqual([null, null]);
    await batches.noteWait(batch, 'rate_limit_exceeded');
    expect(await waits()).toContain('rate_limit_exceeded');
    expect(await waits()).toContain(null);
    await batches.record(batch, [answered(batch, 0, 'A')]);
    expect(await waits()).toEqual([null, null]);
    await batches.noteWait(batch, 'rate_limit_exceeded');
    await finish(batch);
    await batches.noteWait(batch, 'rate_limit_exceeded');
    expect(await waits()).toEqual([null, null]);
  });

  it('have their figures read in one statement for several runs, and not again while these are fresh', async () => {
    await addItem(1, 'Which?', 'A');
    const runs = [await create(['m']), await create(['m'])];
    const [first, second] = [await claimed(), await claimed()];
    await batches.record(first, [answered(first, 0, 'A')]);
    const clock = { at: 1_000_000, now: () => clock.at };
    let statements = 0;
    const counted: Pick<Database, 'query'> = {
      query: (text, values) => {
        statements++;
        return database.query(text, values);
      },
    };
    const counting = new RunReader(counted, seal, clock);
    const completed = async (): Promise<number[]> => {
      const models = await counting.models(runs.map(({ id }) => id));
      const of = (batch: LeasedBatch): number =>
        models.find(({ runId }) => runId === batch.datasetRunId)?.summary.completed ?? -1;
      return [of(first), of(second)];
    };
    expect([await completed(), statements]).toEqual([[1, 0], 2]);
    await batches.record(second, [answered(second, 0, 'A')]);
    expect([await completed(), statements]).toEqual([[1, 0], 3]);
    clock.at += 3_000;
    expect([await completed(), statements]).toEqual([[1, 1], 5]);
    await finish(second);
    expect([await completed(), statements]).toEqual([[1, 1], 6]);
  });

  it('decrypt outputs only where they are read, and say where that is not possible', async () => {
    await addItem(1, 'Which?', 'A');
    const run = await create(['m']);
    const batch = await claimed();
    await batches.record(batch, [answered(batch, 0, 'A')]);
    const closed = new RunReader(database, { open: () => expect.fail('decrypted') });
    const unlimited = { onlyFailed: false, onlyDifferent: false };
    const page = { limit: 10, after: null, backwards: false };
    const budget = { spend: () => expect.fail('spent') };
    const heads = { withOutputs: false, withItems: false, budget };
    const { rows } = await closed.results(accountId, run.id, unlimited, page, heads);
    expect(rows[0]?.outputs[0]).toMatchObject({ status: 'completed', scores: [1], document: null, isReadable: true });
    expect((await resultsOf(run))[0]?.outputs[0]).toMatchObject({ isReadable: true });
    const changed = new RunReader(database, new ContentSeal('another secret'));
    const reading = { withOutputs: true, withItems: false, budget: noLimit };
    const unreadable = await changed.results(accountId, run.id, unlimited, page, reading);
    expect(unreadable.rows[0]?.outputs[0]).toMatchObject({ document: null, isReadable: false });
  });

  it('are part of the export of their account, with their outputs', async () => {
    const itemId = await addItem(1, 'Which?', 'A');
    await addItem(2, 'Which?', 'A');
    const run = await create(['m']);
    const batch = await claimed();
    await batches.record(batch, [answered(batch, 0, 'A')]);
    const exported = async (secret: string) => {
      let unreadable = 0;
      const runs = new RunExport(new RunReader(database, new ContentSeal(secret)));
      let text = '';
      for await (const piece of runs.account(accountId, () => unreadable++)) text += piece.toString();
      return {
        lines: text
          .split('\n')
          .filter(Boolean)
          .map((line): unknown => JSON.parse(line)),
        unreadable,
      };
    };
    const line = { type: 'dataset_run_output', dataset_run_id: run.id, item_id: itemId, position: 1, model: 'm' };
    expect(await exported(masterKey)).toMatchObject({
      lines: [{ ...line, status: 'completed', output: { content: 'A' }, scores: { EXACT_MATCH: 1 } }],
      unreadable: 0,
    });
    expect(await exported('another secret')).toMatchObject({
      lines: [{ ...line, error: 'cannot be decrypted' }],
      unreadable: 1,
    });
  });

  it('keep errors by their codes, and no conversation in plain text', async () => {
    await addItem(1, SECRET, SECRET);
    await addItem(2, SECRET, SECRET);
    const run = await create(['m']);
    const batch = await claimed();
    const { requestId } = lineIds(batch.id, 1, 0, batch.linesBeganAt);
    const error = new SluiceError('unsupported_value', { param: 'messages', values: { reason: SECRET } });
    const of = { protocol: 'openai', line: 1, customId: '1', requestId } as const;
    const failed = lineResult(of, { type: 'failed', error, wasSent: false });
    await batches.record(batch, [answered(batch, 0, SECRET), { ...failed, isUnsent: true }]);
    for (const table of ['batches', 'batch_lines', 'dataset_runs', 'dataset_run_items', 'dataset_run_outputs']) {
      const rows = await database.query<object>(`select * from ${table}`, []);
      const bytes = rows
        .flatMap((row) => Object.values(row))
        .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value)));
      expect(bytes.some((text) => text?.includes(SECRET))).toBe(false);
    }
    await finish(batch);
    expect((await reader.models([run.id]))[0]?.summary).toMatchObject({
      completed: 1,
      failed: 1,
      errors: [{ code: 'unsupported_value', count: 1 }],
      scores: [{ scorer: 0, average: 1, count: 1 }],
    });
    const [failing, ...others] = await resultsOf(run, { onlyFailed: true });
    expect(others).toEqual([]);
    expect(failing?.outputs[0]).toMatchObject({ status: 'failed', error_code: 'unsupported_value' });
    expect(failing?.outputs[0]?.document?.errorMessage).toContain(SECRET);
  });

  it('are cancelled once, which the audit log records for `cancelDatasetRun`', async () => {
    await addItem(1, 'Which?', 'A');
    const run = await create(['m', 'n']);
    expect(await service.cancel(accountId, run.id)).toMatchObject({ status: 'CANCELLING' });
    await service.cancel(accountId, run.id);
    for (const batch of [await claimed(), await claimed()]) {
      expect(batch.isCancelled).toBe(true);
      expect(cancelled).toContain(batch.id);
      await finish(batch, 'cancelled');
    }
    expect(await service.cancel(accountId, run.id)).toMatchObject({ status: 'CANCELLED' });
    const text = `select action from audit_entries where account_id = $1 and action like 'dataset_run.%' order by id`;
    const entries = await database.query<{ action: string }>(text, [accountId]);
    expect(entries.map(({ action }) => action)).toEqual(['dataset_run.created', 'dataset_run.cancelled']);
  });

  it('fail where not all requests have run in time', async () => {
    await addItem(1, 'Which?', 'A');
    const run = await create(['m']);
    await finish(await claimed(), 'expired');
    expect(await reader.get(accountId, run.id)).toMatchObject({ status: 'FAILED', has_expired: true });
  });

  it('are deleted while they run, after which nothing more is stored', async () => {
    await addItem(1, 'Which?', 'A');
    const run = await create(['m']);
    const batch = await claimed();
    await service.remove(accountId, run.id);
    expect(await batches.renew(batch, LEASE_MS)).toBeNull();
    expect(await batches.record(batch, [answered(batch, 0, 'A')])).toBe(false);
    expect(await codeOf(reader.get(accountId, run.id))).toBe('not_found');
  });

  it('end without content when their dataset is deleted', async () => {
    await addItem(1, 'Which?', 'A');
    await addItem(2, 'Which?', 'A');
    const run = await create(['m']);
    const batch = await claimed();
    await batches.record(batch, [answered(batch, 0, 'A')]);
    // Stored after the result, and before the deletion.
    await new UsageStore(database, refuse).store(rowsJson(journal));
    await database.transaction(async (client) => {
      await endRuns(client, datasetId);
      await client.query('delete from datasets where id = $1', [datasetId]);
    });
    expect(await reader.get(accountId, run.id)).toMatchObject({ status: 'CANCELLED', dataset_id: null, items: 2 });
    expect((await reader.models([run.id]))[0]).toMatchObject({
      outcome: 'cancelled',
      summary: { completed: 1, costNano: '5' },
      common: { completed: 1, costNano: '5' },
    });
    expect(await resultsOf(run)).toEqual([]);
    expect(await batches.record(batch, [answered(batch, 1, 'A')])).toBe(false);
  });

  it('are limited to ten at a time for each account, and are no batches of clients', async () => {
    await addItem(1, 'Which?', 'A');
    for (let count = 0; count < 10; count++) await create(['m']);
    expect(await codeOf(create(['m']))).toBe('bad_user_input');
    const client = new BatchesService({
      database,
      blobs: { put: () => expect.fail(), get: () => expect.fail(), delete: () => expect.fail() },
      onCreated: () => undefined,
      onCancelled: () => undefined,
      onChanged: () => undefined,
      now: () => Date.now(),
    });
    const reach = accountReach(accountId);
    expect((await client.listAll(reach, { limit: 10, from: null, backwards: false })).rows).toEqual([]);
    expect(await client.byIds(reach, [(await claimed()).id])).toEqual([]);
  });

  describe('with a judge', () => {
    const judge = { model: 'judge', rubric: 'Polite.' };
    const scored = (score: number, reason = 'Because.'): string => JSON.stringify({ reason, score });
    const refused = (batch: LeasedBatch, line: number) => {
      const { requestId } = lineIds(batch.id, line, 0, batch.linesBeganAt);
      const error = new SluiceError('unsupported_value', { param: 'messages', values: { reason: 'image' } });
      const of = { protocol: 'openai', line, customId: String(line), requestId } as const;
      return { ...lineResult(of, { type: 'failed', error, wasSent: false }), isUnsent: true };
    };

    it('send each output to it once its model has ended, and count its cost apart', async () => {
      for (const [at, answer] of ['A', 'B', 'C'].entries()) await addItem(at + 1, `Which ${at}?`, answer);
      const run = await create(['m'], { judge });
      expect(run).toMatchObject({ scorers: ['EXACT_MATCH', 'JUDGE'], judge: { ...judge, scale: 'ZERO_TO_ONE' } });
      const batch = await claimed();
      expect(batch.tags ?? null).toBeNull();
      await batches.record(batch, [answered(batch, 0, 'A'), refused(batch, 1), answered(batch, 2, 'X')]);
      expect(await batches.claim(LEASE_MS, [])).toBeNull();
      await finish(batch);
      expect(await reader.get(accountId, run.id)).toMatchObject({ ended_ms: null });
      const judging = await claimed();
      expect(judging).toMatchObject({ total: 3, datasetRunModel: 1, tags: { dataset_run_judge: run.id } });
      expect(judging).toMatchObject({ apiKeyId: batch.apiKeyId, memberId: batch.memberId });
      // The output that failed is not judged.
      expect((await batches.lines(judging, 0, 3)).map(({ line, isDone }) => [line, isDone])).toEqual([[1, true]]);
      const bodies = await bodiesOf(judging);
      expect(bodies).toMatchObject([{ model: 'judge' }, {}, { model: 'judge' }]);
      expect(JSON.stringify(bodies[0])).toContain('Which 0?');
      expect(JSON.stringify(bodies[2])).toContain('Which 2?');
      const before = (await reader.models([run.id]))[0];
      expect(before).toMatchObject({ outcome: 'completed', judge: { summary: { completed: 0, failed: 0 } } });
      await batches.record(judging, [
        answered(judging, 0, scored(0.75), { cost_nano: '70' }),
        answered(judging, 2, 'It is good: 1', { cost_nano: '30' }),
      ]);
      await finish(judging);
      expect(await reader.get(accountId, run.id)).toMatchObject({ status: 'COMPLETED' });
      const models = await reader.models([run.id]);
      expect(models).toHaveLength(1);
      expect(models[0]).toMatchObject({
        model: 'm',
        summary: {
          completed: 2,
          failed: 1,
          costNano: '10',
          scores: [
            { scorer: 0, average: 0.5, count: 2 },
            { scorer: 1, average: 0.75, count: 1 },
          ],
        },
        common: { completed: 2, costNano: '10', scores: [{ scorer: 0 }, { scorer: 1, average: 0.75, count: 1 }] },
        judge: {
          isPriced: true,
          summary: { completed: 1, failed: 1, costNano: '100', errors: [{ code: 'judge_output_invalid', count: 1 }] },
        },
      });
      const outputs = (await resultsOf(run)).map(({ outputs: [output] }) => output);
      expect(outputs[0]).toMatchObject({ scores: [1, 0.75], cost_nano: '5' });
      expect(outputs[0]?.judgement).toMatchObject({
        status: 'completed',
        cost_nano: '70',
        document: { judgement: { score: 0.75, reason: 'Because.' } },
      });
      expect(outputs[1]?.judgement).toBeNull();
      expect(outputs[2]).toMatchObject({ status: 'completed', scores: [0, null] });
      expect(outputs[2]?.judgement).toMatchObject({ status: 'failed', error_code: 'judge_output_invalid' });
      // A judge that failed is no failure of a model.
      expect((await resultsOf(run, { onlyFailed: true })).map(({ position }) => position)).toEqual([2]);
    });

    it('store its reasons encrypted, and export them with the outputs', async () => {
      await addItem(1, 'Which?', 'A');
      const run = await create(['m'], { judge });
      const batch = await claimed();
      await batches.record(batch, [answered(batch, 0, 'A')]);
      await finish(batch);
      const judging = await claimed();
      await batches.record(judging, [answered(judging, 0, scored(1, SECRET))]);
      for (const table of ['batch_lines', 'dataset_run_models', 'dataset_run_outputs']) {
        const rows = await database.query<object>(`select * from ${table}`, []);
        const values = rows
          .flatMap((row) => Object.values(row))
          .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value)));
        expect(
          values.some((text) => text?.includes(SECRET)),
          table,
        ).toBe(false);
      }
      await finish(judging);
      const changed = new RunReader(database, new ContentSeal('another secret'));
      const all = { onlyFailed: false, onlyDifferent: false };
      const page = { limit: 10, after: null, backwards: false };
      const reading = { withOutputs: true, withItems: false, budget: noLimit };
      const { rows } = await changed.results(accountId, run.id, all, page, reading);
      expect(rows[0]?.outputs[0]?.judgement).toMatchObject({ document: null, isReadable: false });
      const lines: string[] = [];
      for await (const line of new RunExport(reader).account(accountId, () => undefined)) lines.push(line.toString());
      expect(JSON.parse(lines.join(''))).toMatchObject({
        scores: { EXACT_MATCH: 1, JUDGE: 1 },
        judgement: { score: 1, reason: SECRET, error_code: null },
      });
    });

    it('judge nothing where no output is, or the run was cancelled', async () => {
      await addItem(1, 'Which?', 'A');
      const failed = await create(['m'], { judge });
      const batch = await claimed();
      await batches.record(batch, [refused(batch, 0)]);
      await finish(batch);
      expect(await reader.get(accountId, failed.id)).toMatchObject({ status: 'COMPLETED' });
      const run = await create(['m'], { judge });
      const stopped = await claimed();
      await batches.record(stopped, [answered(stopped, 0, 'A')]);
      await service.cancel(accountId, run.id);
      // Its last request ended before.
      await finish(stopped);
      expect(await reader.get(accountId, run.id)).toMatchObject({ status: 'CANCELLED' });
      expect(await batches.claim(LEASE_MS, [])).toBeNull();
    });

    it('stop judging when they are cancelled, and keep the scores so far', async () => {
      for (const position of [1, 2]) await addItem(position, 'Which?', 'A');
      const run = await create(['m'], { judge });
      const batch = await claimed();
      await batches.record(batch, [answered(batch, 0, 'A'), answered(batch, 1, 'A')]);
      await finish(batch);
      const judging = await claimed();
      await batches.record(judging, [answered(judging, 0, scored(0.5))]);
      expect(await service.cancel(accountId, run.id)).toMatchObject({ status: 'CANCELLING' });
      expect(cancelled).toContain(judging.id);
      await finish(judging, 'cancelled');
      expect(await reader.get(accountId, run.id)).toMatchObject({ status: 'CANCELLED' });
      expect((await reader.models([run.id]))[0]).toMatchObject({
        outcome: 'completed',
        summary: { completed: 2, scores: [{ count: 2 }, { scorer: 1, average: 0.5, count: 1 }] },
        judge: { summary: { completed: 1, costNano: '5' } },
      });
    });

    it('keep the figures of models and judge when the dataset is deleted while outputs are judged', async () => {
      await addItem(1, 'Which?', 'A');
      const run = await create(['m'], { judge });
      const batch = await claimed();
      await batches.record(batch, [answered(batch, 0, 'A')]);
      await finish(batch);
      const judging = await claimed();
      await batches.record(judging, [answered(judging, 0, scored(1))]);
      await new UsageStore(database, refuse).store(rowsJson(journal));
      await database.transaction(async (client) => {
        await endRuns(client, datasetId);
        await client.query('delete from datasets where id = $1', [datasetId]);
      });
      expect(await reader.get(accountId, run.id)).toMatchObject({ status: 'CANCELLED' });
      expect((await reader.models([run.id]))[0]).toMatchObject({
        outcome: 'completed',
        summary: { completed: 1, costNano: '5', scores: [{ average: 1 }, { scorer: 1, average: 1 }] },
        judge: { summary: { completed: 1, costNano: '5' } },
      });
      expect(await batches.record(judging, [answered(judging, 0, scored(0))])).toBe(false);
    });

    it('are refused where the judge cannot be used', async () => {
      await addItem(1, 'Which?', 'A');
      const none = new DatasetRunsService({ ...dependencies, usableModel: () => undefined });
      const input = { models: ['m'], scorers: [], judge };
      expect(await codeOf(none.create({ ...key, accountId }, datasetId, input))).toBe('model_not_found');
      const only = new DatasetRunsService({
        ...dependencies,
        usableModel: (of, name) => (name === 'm' ? dependencies.usableModel(of, name) : undefined),
      });
      const failure = await only.create({ ...key, accountId }, datasetId, input).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'model_not_found', param: 'judge.model' });
    });
  });
});
