import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as sendRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDatabase, dropDatabase } from '../../harness/create-database.ts';
import { completion, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { serverPostgres } from '../../harness/postgres.ts';
import { TEST_SECRET } from '../../harness/product-template.ts';
import { startNewServer, type ServerProcess } from '../../harness/server-process.ts';
import { shared } from '../../harness/shared-resources.ts';
import { childrenOf } from '../../harness/workers.ts';

const WORKERS = 2;
const LIMIT = 10;
const ROUNDS = 10;
const MAX_TOKENS = 100;
/** At a dollar per million tokens of output, and nothing for the input. */
const REQUEST_NANO = MAX_TOKENS * 1_000;
const usage = { prompt_tokens: 3, completion_tokens: MAX_TOKENS, total_tokens: MAX_TOKENS + 3 };

const money = z.object({ amount: z.string() });
const answerSchema = z.object({
  data: z.object({
    createApiKey: z.object({ secret: z.string(), apiKey: z.object({ id: z.string() }) }).optional(),
    apiKeys: z
      .object({
        nodes: z.array(z.object({ id: z.string(), budget: z.object({ spent: money, reserved: money }).nullable() })),
      })
      .optional(),
  }),
});

// The embedded database has one process.
describe.skipIf(serverPostgres() === 'missing' && process.env.CI !== 'true')('limits of workers without Redis', () => {
  let folder: string;
  let provider: FakeProvider;
  let server: ServerProcess;
  let drop: () => Promise<void>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-workers-'));
    const config = join(folder, 'sluice.yaml');
    writeFileSync(
      config,
      'models:\n  openai/priced: { input: "0", output: "1", max_output_tokens: 100000 }\n  openai/input: { input: "1", output: "0", max_output_tokens: 100000 }\n',
    );
    provider = await startFakeProvider(completion({ usage }));
    const { adminUrl, template } = await shared('migratedDatabase');
    const { name, url } = await createDatabase(adminUrl, template);
    drop = () => dropDatabase(adminUrl, name);
    server = await startNewServer({
      DATABASE_URL: url,
      SLUICE_SECRET: TEST_SECRET,
      SLUICE_SANDBOX: 'on',
      SLUICE_CONFIG: config,
      WORKERS: String(WORKERS),
      OPENAI_API_KEY: 'x',
      OPENAI_BASE_URL: provider.url,
    });
  });

  afterAll(async () => {
    await server.dispose();
    await provider.close();
    await drop();
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(() => provider.answerWith(completion({ usage })));

  async function graphql(query: string) {
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return answerSchema.parse(await response.json()).data;
  }

  async function newKey(members: string): Promise<{ secret: string; id: string }> {
    const { createApiKey } =
      await graphql(`mutation { createApiKey(input: { name: "k", ${members} }) { secret apiKey { id } } }`);
    if (createApiKey === undefined) throw new Error('no key was made');
    return { secret: createApiKey.secret, id: createApiKey.apiKey.id };
  }

  async function budgetOf(id: string): Promise<{ spent: number; reserved: number }> {
    const { apiKeys } = await graphql(
      '{ apiKeys(first: 100) { nodes { id budget { spent { amount } reserved { amount } } } } }',
    );
    const budget = apiKeys?.nodes.find((each) => each.id === id)?.budget;
    if (!budget) throw new Error('the key has no budget');
    const nano = ({ amount }: { amount: string }): number => Math.round(Number(amount) * 1e9);
    return { spent: nano(budget.spent), reserved: nano(budget.reserved) };
  }

  /** @returns the status of each response; 0 for none */
  function chat(secret: string, count: number, model = 'openai/priced', idempotencyKey = ''): Promise<number>[] {
    const body = JSON.stringify({
      model,
      max_tokens: MAX_TOKENS,
      messages: [{ role: 'user', content: 'Hello' }],
    });
    const headers = {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      ...(idempotencyKey !== '' && { 'idempotency-key': idempotencyKey }),
    };
    // A connection for each: they are passed to the workers in turn.
    const agent = new Agent({ keepAlive: false });
    return Array.from(
      { length: count },
      () =>
        new Promise<number>((resolve) => {
          const options = { method: 'POST', headers, agent };
          const sent = sendRequest(`${server.url}/v1/chat/completions`, options, (response) => {
            resolve(response.statusCode ?? 0);
            response.on('error', () => undefined).resume();
          });
          sent.on('error', () => resolve(0)).end(body);
        }),
    );
  }

  /** @returns the body of the response */
  function bodyOf(secret: string, idempotencyKey: string, agent = new Agent({ keepAlive: false })): Promise<string> {
    const body = JSON.stringify({
      model: 'openai/priced',
      max_tokens: MAX_TOKENS,
      messages: [{ role: 'user', content: 'Hello' }],
    });
    const headers = {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      ...(idempotencyKey !== '' && { 'idempotency-key': idempotencyKey }),
    };
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', headers, agent };
      const sent = sendRequest(`${server.url}/v1/chat/completions`, options, (response) => {
        let text = '';
        response.on('data', (data) => (text += String(data))).on('end', () => resolve(text));
        response.on('error', reject);
      });
      sent.on('error', reject).end(body);
    });
  }

  async function statuses(asked: readonly Promise<number>[]): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const status of await Promise.all(asked)) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }

  it('run a request with an idempotency key once, and repeat its response whichever worker is asked', async () => {
    const { secret } = await newKey('');
    // A worker that starts asks for the list of models.
    const completions = () => provider.requests.filter(({ method }) => method === 'POST').length;
    const asked = completions();
    for (let round = 0; round < ROUNDS; round++) {
      const key = `round-${round}`;
      const counts = await statuses(chat(secret, 20, 'openai/priced', key));
      // Those at the worker that runs it wait for its response; the other one refuses while it runs.
      expect((counts[200] ?? 0) + (counts[409] ?? 0)).toBe(20);
      expect(counts[200]).toBeGreaterThan(0);
      expect(completions()).toBe(asked + round + 1);
      // The status of the first response arrives before its end.
      const repeated = () => statuses(chat(secret, 2 * WORKERS, 'openai/priced', key));
      await expect.poll(repeated).toEqual({ 200: 2 * WORKERS });
    }
    // Also where another number of workers, or a single process, replaces them.
    for (const workers of [WORKERS, 1, WORKERS]) {
      await server.end('SIGTERM');
      server = await server.restart({ WORKERS: String(workers) });
      for (let round = 0; round < ROUNDS; round++)
        expect(await statuses(chat(secret, workers, 'openai/priced', `round-${round}`))).toEqual({ 200: workers });
    }
    expect(completions()).toBe(asked + ROUNDS);
  });

  it('never run a request with an idempotency key again whose worker was killed', async () => {
    const { secret } = await newKey('');
    const released = Promise.withResolvers<void>();
    provider.answerWith(async (request, response) => {
      await released.promise;
      return completion({ usage })(request, response);
    });
    const completions = () => provider.requests.filter(({ method }) => method === 'POST').length;
    const asked = completions();
    // Connections are passed to the workers in turn: each of them runs some.
    const open = Array.from({ length: 2 * WORKERS }, (_each, number) =>
      chat(secret, 1, 'openai/priced', `open-${number}`),
    );
    const statusOf = async (number: number): Promise<number> => (await open[number]?.[0]) ?? 0;
    await expect.poll(completions).toBe(asked + open.length);
    const [victim = 0] = childrenOf(server.pid);
    process.kill(victim, 'SIGKILL');
    const cut = await Promise.race(
      [...open.keys()].map(async (number) => {
        await statusOf(number);
        return number;
      }),
    );
    expect(await statusOf(cut)).toBe(0);
    // The client may know before the supervisor that the worker has ended.
    await expect
      .poll(() => bodyOf(secret, `open-${cut}`).catch(() => null))
      .toEqual(expect.stringContaining('idempotency_interrupted'));
    // At the other worker, and at that which replaces the killed one.
    for (let repeated = 0; repeated < 2 * WORKERS; repeated++)
      expect(await bodyOf(secret, `open-${cut}`)).toContain('idempotency_interrupted');
    await expect.poll(() => childrenOf(server.pid).length).toBe(WORKERS);
    expect(await bodyOf(secret, `open-${cut}`)).toContain('idempotency_interrupted');
    released.resolve();
    await Promise.all([...open.keys()].map(statusOf));
    expect(completions()).toBe(asked + open.length);
  });

  it('admit exactly ten of two hundred concurrent requests with a limit of ten', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      // Of a day: nothing is refilled within a round.
      const { secret } = await newKey(`limits: { requestsPerDay: ${LIMIT} }`);
      expect(await statuses(chat(secret, 200))).toEqual({ 200: LIMIT, 429: 200 - LIMIT });
    }
  });

  it('admit exactly ten of two hundred concurrent requests with a budget for ten', async () => {
    const amount = ((LIMIT * REQUEST_NANO) / 1e9).toFixed(9);
    const { secret, id } = await newKey(`budget: { amount: "${amount}", period: MONTH }`);
    // All workers read budgets when they start; later each learns of changes after a while.
    await server.end('SIGTERM');
    server = await server.restart();
    expect(await statuses(chat(secret, 200))).toEqual({ 200: LIMIT, 429: 200 - LIMIT });
    await expect.poll(() => budgetOf(id), { interval: 2_000 }).toEqual({ spent: LIMIT * REQUEST_NANO, reserved: 0 });
  });

  it('are refused with a clear error while the supervisor is stopped, and hold afterwards', async () => {
    const { secret } = await newKey(`limits: { requestsPerDay: ${LIMIT} }`);
    // The supervisor accepts connections: those of before are used.
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const codes = (key: string, count: number) =>
      Promise.all(Array.from({ length: count }, () => bodyOf(key, '', agent)));
    expect((await codes(server.apiKey, 8)).join()).not.toContain('error');
    process.kill(server.pid, 'SIGSTOP');
    const texts = await codes(secret, 12);
    process.kill(server.pid, 'SIGCONT');
    for (const text of texts) expect(text).toContain('limits_unavailable');
    const answers: string[] = [];
    const admits = async (): Promise<boolean> => {
      const text = await bodyOf(secret, '', agent);
      answers.push(text);
      return !text.includes('limits_unavailable');
    };
    await expect.poll(admits).toBe(true);
    agent.destroy();
    const { 200: admitted = 0, 429: refused = 0 } = await statuses(chat(secret, 50));
    expect(admitted + refused).toBe(50);
    expect(admitted + answers.filter((text) => !text.includes('error')).length).toBeLessThanOrEqual(LIMIT);
  });

  it('hold what a killed worker reserved until its journal is recovered, and count what its requests used', async () => {
    const amount = ((LIMIT * REQUEST_NANO) / 1e9).toFixed(9);
    const { secret, id } = await newKey(`budget: { amount: "${amount}", period: MONTH }`);
    await server.end('SIGTERM');
    server = await server.restart();
    provider.answerWith(() => undefined);
    const asked = provider.requests.length;
    const open = chat(secret, 8, 'openai/input');
    await provider.whenRequested(asked + 8);
    const held = (await budgetOf(id)).reserved;
    expect(held).toBeGreaterThan(0);
    const [victim = 0] = childrenOf(server.pid);
    process.kill(victim, 'SIGKILL');
    // The interrupted requests are settled with their input; those of the other worker are still open. Each look costs points.
    await expect.poll(async () => (await budgetOf(id)).spent, { interval: 2_000 }).toBeGreaterThan(0);
    await expect.poll(async () => (await budgetOf(id)).reserved, { interval: 2_000 }).toBeLessThan(held);
    const { spent, reserved } = await budgetOf(id);
    const interrupted = 8 - reserved / (held / 8);
    expect([1, 2, 3, 4, 5, 6, 7]).toContain(interrupted);
    expect(spent % interrupted).toBe(0);
    expect(spent).toBeLessThanOrEqual(held - reserved);
    expect(childrenOf(server.pid)).not.toContain(victim);
    await server.end('SIGKILL');
    // Those of the killed worker were cut. Without the supervisor, the other one ends its own with an error when it has drained.
    const counts = await statuses(open);
    expect(counts[0]).toBeGreaterThanOrEqual(interrupted);
    expect(Object.keys(counts)).not.toContain('200');
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(8);
  });
});
