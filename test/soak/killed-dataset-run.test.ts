import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { eventIdOf } from '../../src/gateway/event-id.ts';
import { toGlobalId } from '../../src/graphql/relay/global-id.ts';
import { completion, startFakeProvider, type FakeProvider } from '../harness/fake-provider.ts';
import { post } from '../harness/graphql-client.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';

const ITEMS = 100;
const MODELS = ['openai/gpt-4.1', 'openai/gpt-4.1-mini', 'openai/gpt-4.1-nano'];
/** Scores the outputs. */
const JUDGE = 'openai/gpt-4o';
/** Requests before each kill: while the models run, and while their outputs are judged. */
const KILLS_AFTER = [60, 250, 450];
/** Of server PostgreSQL, where a lease has to end first. */
const TIMEOUT_MS = 420_000;

let provider: FakeProvider;
let server: ServerProcess;

beforeAll(async () => {
  provider = await startFakeProvider();
  server = await startServer({ SLUICE_STORE_CONTENT: 'full', OPENAI_API_KEY: 'x', OPENAI_BASE_URL: provider.url });
});

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

const bearer = (): Record<string, string> => ({ authorization: `Bearer ${server.apiKey}` });

async function ask(query: string, variables: object = {}) {
  const { data, errors } = await post(server.url, { query, variables }, bearer());
  if (errors) throw new Error(errors[0]?.message);
  return data ?? {};
}

/** @returns the ID of its usage log */
async function logged(index: number): Promise<string> {
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...bearer(), 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'openai/gpt-4o-mini',
      messages: [{ role: 'user', content: `item-${index}.` }],
    }),
  });
  await response.text();
  return toGlobalId('UsageLog', eventIdOf(response.headers.get('x-request-id') ?? '') ?? '');
}

/** @returns the ID of a dataset */
async function dataset(): Promise<string> {
  const usageLogIds: string[] = [];
  for (let index = 0; index < ITEMS; index++) usageLogIds.push(await logged(index));
  const log = 'query ($id: ID!) { usageLog(id: $id) { content { state } } }';
  const stored = async (): Promise<unknown> => (await ask(log, { id: usageLogIds.at(-1) })).usageLog?.content.state;
  await expect.poll(stored, { timeout: 120_000 }).toBe('STORED');
  const { createDataset } = await ask('mutation { createDataset(name: "Items") { id } }');
  const add = 'mutation ($input: AddToDatasetInput!) { addToDataset(input: $input) { added } }';
  const { addToDataset } = await ask(add, { input: { datasetId: createDataset.id, usageLogIds } });
  expect(addToDataset.added).toBe(ITEMS);
  return createDataset.id;
}

interface ModelRow {
  readonly model: string;
  readonly rows: number;
  readonly events: number;
  readonly cost: string;
}

/** Of the stopped server: the usage of the run's requests, by model. */
async function usageRows(): Promise<ModelRow[]> {
  const database = await openDatabase(server.database);
  try {
    return await database.query<ModelRow>(
      `select requested_model as model, count(*)::int as rows, count(distinct event_id)::int as events,
        (sum(cost_nano) / 1000000000.0)::text as cost
       from usage_logs where requested_model = any($1) group by 1 order by 1`,
      [[...MODELS, JUDGE]],
    );
  } finally {
    await database.close();
  }
}

describe('a server that is killed three times', () => {
  it(
    'ends a dataset run: each item is run, judged and billed once for each model',
    async () => {
      const datasetId = await dataset();
      const answer = completion();
      const score = { role: 'assistant', content: '{"reason": "As expected.", "score": 0.5}', refusal: null };
      const judgement = completion({ choices: [{ index: 0, message: score, finish_reason: 'stop' }] });
      provider.answerWith(async (request, response) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        await (request.json.model === 'gpt-4o' ? judgement : answer)(request, response);
      });
      const create = 'mutation ($input: CreateDatasetRunInput!) { createDatasetRun(input: $input) { id } }';
      const { createDatasetRun } = await ask(create, {
        input: { datasetId, models: MODELS, scorers: ['EXACT_MATCH'], judge: { model: JUDGE } },
      });
      const { id } = createDatasetRun;
      const status = async (): Promise<unknown> =>
        (await ask('query ($id: ID!) { datasetRun(id: $id) { status } }', { id })).datasetRun.status;
      for (const requests of KILLS_AFTER) {
        await provider.whenRequested(ITEMS + requests);
        expect(await status()).toBe('RUNNING');
        await server.end('SIGKILL');
        server = await server.restart();
      }
      await expect.poll(status, { timeout: TIMEOUT_MS, interval: 500 }).toBe('COMPLETED');
      const read = `query ($id: ID!) { datasetRun(id: $id) { itemCount models {
        model total completed failed costUsd scores { average count } errors { code }
        judge { scored failed costUsd }
      } } }`;
      const { itemCount, models } = (await ask(read, { id })).datasetRun;
      expect(itemCount).toBe(ITEMS);
      // Those that a kill interrupted may be incomplete; models are listed, too.
      const sent = provider.requests.flatMap(({ body }) => {
        const [model, item] = [/"model":"(gpt-4\.1[a-z-]*)"/.exec(body)?.[1], /item-\d+\./.exec(body)?.[0]];
        return model === undefined || item === undefined ? [] : [`${model} ${item}`];
      });
      expect(new Set(sent).size).toBe(ITEMS * MODELS.length);
      // Those that were running at each kill ran again.
      expect(sent.length).toBeGreaterThan(ITEMS * MODELS.length);
      await server.end('SIGTERM');
      const usage = await usageRows();
      expect(usage.map(({ model, rows, events }) => [model, rows, events])).toEqual([
        ...MODELS.map((model) => [model, ITEMS, ITEMS]),
        [JUDGE, MODELS.length * ITEMS, MODELS.length * ITEMS],
      ]);
      const judgeCost = models.reduce(
        (sum: number, { judge }: { judge: { costUsd: string } }) => sum + Number(judge.costUsd),
        0,
      );
      expect(judgeCost).toBeGreaterThan(0);
      expect(judgeCost).toBeCloseTo(Number(usage.at(-1)?.cost), 9);
      for (const [at, model] of MODELS.entries()) {
        expect(models[at]).toEqual({
          model,
          total: ITEMS,
          completed: ITEMS,
          failed: 0,
          costUsd: expect.any(String),
          scores: [
            { average: 1, count: ITEMS },
            { average: 0.5, count: ITEMS },
          ],
          errors: [],
          judge: { scored: ITEMS, failed: 0, costUsd: expect.any(String) },
        });
        expect(Number(models[at].costUsd)).toBeGreaterThan(0);
        expect(Number(models[at].costUsd)).toBe(Number(usage[at]?.cost));
      }
    },
    TIMEOUT_MS,
  );
});
