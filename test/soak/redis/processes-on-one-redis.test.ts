import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient as createRedisClient } from '@redis/client';
import { createClient, type Client } from 'graphql-ws';
import OpenAI, { APIError } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { createDatabase, dropDatabase } from '../../harness/create-database.ts';
import { chunk, completion, pieces, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { serverPostgres } from '../../harness/postgres.ts';
import { TEST_SECRET } from '../../harness/product-template.ts';
import { describeWithRedis, startRedis, UNREACHED_TIMEOUT_MS, type RunningRedis } from '../../harness/redis.ts';
import { s3Environment, startS3, type RunningS3 } from '../../harness/s3.ts';
import { startNewServer, type ServerProcess } from '../../harness/server-process.ts';
import { shared } from '../../harness/shared-resources.ts';
import { mayBeMissing, seaweedPath } from '../../harness/tool-paths.ts';

const isMissing = seaweedPath === null || serverPostgres() === 'missing';
const LIMIT = 12;
const REQUESTS = 10;
/** Of 100 tokens at a dollar a million. */
const REQUEST_NANO = 100_000;
const usage = { prompt_tokens: 1, completion_tokens: 100, total_tokens: 101 };

const answerSchema = z.object({ data: z.record(z.string(), z.any()).nullish() });

/** In this order: the last test ends Redis. */
describeWithRedis('two processes on one PostgreSQL and one Redis', () => {
  describe.skipIf(isMissing && mayBeMissing)('with REDIS_URL and S3_BUCKET', () => {
    let folder: string;
    let removeDatabase: () => Promise<void>;
    let redis: RunningRedis;
    let s3: RunningS3;
    let provider: FakeProvider;
    let one: ServerProcess;
    let another: ServerProcess;
    const clients: Client[] = [];

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'sluice-processes-'));
      const config = join(folder, 'sluice.yaml');
      writeFileSync(config, 'models:\n  openai/priced: { input: "0", output: "1", max_output_tokens: 100000 }\n');
      const { adminUrl, template } = await shared('migratedDatabase');
      const { name, url } = await createDatabase(adminUrl, template);
      removeDatabase = () => dropDatabase(adminUrl, name);
      redis = await startRedis();
      // Either may run a batch, and needs its input.
      s3 = await startS3();
      provider = await startFakeProvider();
      one = await startNewServer({
        ...s3Environment(await s3.settings('sluice')),
        DATABASE_URL: url,
        REDIS_URL: redis.url,
        SLUICE_REDIS_TIMEOUT_MS: String(UNREACHED_TIMEOUT_MS),
        SLUICE_SECRET: TEST_SECRET,
        SLUICE_SANDBOX: 'on',
        SLUICE_CONFIG: config,
        OPENAI_API_KEY: 'x',
        OPENAI_BASE_URL: provider.url,
      });
      another = await one.another();
    });

    afterAll(async () => {
      for (const client of clients) await client.dispose();
      await another.dispose();
      await one.dispose();
      await provider.close();
      await s3.stop();
      await redis.stop();
      await removeDatabase();
      rmSync(folder, { recursive: true, force: true });
    });

    beforeEach(() => provider.answerWith(completion({ usage })));

    async function ask(server: ServerProcess, query: string, variables: object = {}) {
      const response = await fetch(`${server.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      return answerSchema.parse(await response.json()).data ?? {};
    }

    async function newKey(members: string): Promise<string> {
      const { createApiKey } = await ask(one, `mutation { createApiKey(input: { name: "k", ${members} }) { secret } }`);
      return createApiKey.secret;
    }

    async function* events(server: ServerProcess, query: string, variables: Record<string, unknown> = {}) {
      const client = createClient({
        url: `${server.url.replace('http', 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        connectionParams: { authorization: `Bearer ${server.apiKey}` },
        retryAttempts: 0,
      });
      clients.push(client);
      for await (const answer of client.iterate({ query, variables })) yield answerSchema.parse(answer).data ?? {};
    }

    /** @returns for each request `ok`, or the code of its refusal */
    function chat(
      server: ServerProcess,
      apiKey: string,
      model: string,
      count: number,
      maxRetries = 0,
    ): Promise<unknown[]> {
      const client = new OpenAI({ apiKey, baseURL: `${server.url}/v1`, maxRetries });
      const request = { model, max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hi' }] };
      return Promise.all(
        Array.from({ length: count }, () =>
          client.chat.completions.create(request).then(
            () => 'ok',
            (error: unknown) => (error instanceof APIError ? error.code : String(error)),
          ),
        ),
      );
    }

    it('see each other’s live completions', async () => {
      provider.answerWith(pieces([chunk({ content: 'over there' }), chunk({}, 'stop'), 'data: [DONE]\n\n'], 'end'));
      const query =
        'subscription { liveCompletions { requestId event { __typename ... on CompletionDelta { text } } } }';
      const texts: unknown[] = [];
      let isSeen = false;
      const watching = (async () => {
        for await (const { liveCompletions } of events(another, query)) {
          texts.push(liveCompletions.event.text);
          // The first that it sees may have been under way before.
          const hasEnded = liveCompletions.event.__typename === 'CompletionFinished';
          if (hasEnded && texts.includes('over there')) break;
        }
        isSeen = true;
      })();
      // It is not told when a subscription stands: until then requests are sent again.
      const body = JSON.stringify({
        model: 'openai/gpt-4.1-mini',
        stream: true,
        messages: [{ role: 'user', content: 'Hi' }],
      });
      const headers = { authorization: `Bearer ${one.apiKey}`, 'content-type': 'application/json' };
      while (!isSeen) {
        const response = await fetch(`${one.url}/v1/chat/completions`, { method: 'POST', headers, body });
        await response.text();
      }
      await watching;
      expect(texts).toContain('over there');
    });

    it('see the progress of each other’s batches', async () => {
      provider.answerWith(completion({ usage }));
      const query = 'subscription { batchProgress { batchId status succeeded } }';
      const ended = new Set<string>();
      const watching = (async () => {
        for await (const { batchProgress } of events(another, query)) {
          if (batchProgress.status !== 'COMPLETED') continue;
          ended.add(batchProgress.batchId);
          if (ended.size === 2) break;
        }
      })();
      const params = { model: 'openai/gpt-4.1-mini', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] };
      const body = JSON.stringify({ requests: [{ custom_id: 'a', params }] });
      const headers = { 'x-api-key': one.apiKey, 'content-type': 'application/json' };
      const created = new Set<string>();
      for (const server of [one, another]) {
        const response = await fetch(`${server.url}/v1/messages/batches`, { method: 'POST', headers, body });
        created.add(Object(await response.json()).id);
      }
      await watching;
      expect(ended).toEqual(created);
    });

    it('follow and cancel comparisons that the other runs', async () => {
      provider.answerWith(pieces([chunk({ content: 'half' })], 'hang'));
      const { startComparison } = await ask(
        one,
        'mutation { startComparison(input: { prompt: "Hi", models: ["openai/gpt-4.1-mini"] }) { id } }',
      );
      const { id } = startComparison;
      const query = `subscription ($id: ID!) { comparison(id: $id) { event { __typename
      ... on CompletionDelta { text } ... on ComparisonLaneCancelled { result { status output } } } } }`;
      const seen = [];
      for await (const { comparison } of events(another, query, { id })) {
        seen.push(comparison.event);
        if (comparison.event.text === 'half')
          await ask(another, 'mutation ($id: ID!) { cancelComparison(id: $id) { id } }', { id });
      }
      expect(seen.at(-1)).toEqual({
        __typename: 'ComparisonLaneCancelled',
        result: { status: 'CANCELLED', output: 'half' },
      });
      expect(provider.requests.at(-1)?.json.model).toBe('gpt-4.1-mini');
      await provider.requests.at(-1)?.aborted;
    });

    it('run a completion once, and resume and cancel it at each', async () => {
      const rest = Promise.withResolvers<void>();
      provider.answerWith(async (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(chunk({ content: 'One ' }));
        await rest.promise;
        response.end(`${chunk({ content: 'Two' }, 'stop')}data: [DONE]\n\n`);
      });
      const before = provider.requests.length;
      const query = `subscription ($input: CompletionInput!, $after: Cursor) { completion(input: $input, after: $after) {
        __typename ... on CompletionDelta { cursor text } ... on CompletionFailed { code } } }`;
      const messages = [{ role: 'user', content: 'Hello' }];
      const input = { clientRequestId: 'both', model: 'openai/priced', messages };
      const opened = [one, another].map((server) => events(server, query, { input }));
      let cursor: unknown = null;
      for (const items of opened) {
        expect((await items.next()).value).toMatchObject({ completion: { __typename: 'CompletionStarted' } });
        const { completion: delta } = (await items.next()).value ?? {};
        expect(delta).toMatchObject({ text: 'One ' });
        ({ cursor } = delta);
      }
      expect(provider.requests.length - before).toBe(1);
      rest.resolve();
      const resumed = [one, another].map((server) => events(server, query, { input, after: cursor }));
      for (const items of [...opened, ...resumed]) {
        const seen: unknown[] = [];
        for await (const { completion: event } of items) seen.push(event.text ?? event.__typename);
        expect(seen).toEqual(['Two', 'CompletionFinished']);
      }
      expect(provider.requests.length - before).toBe(1);

      provider.answerWith(pieces([chunk({ content: 'half' })], 'hang'));
      const cancelled = events(one, query, { input: { ...input, clientRequestId: 'cancelled' } });
      await cancelled.next();
      const mutation = 'mutation { cancelCompletion(clientRequestId: "cancelled") }';
      expect(await ask(another, mutation)).toEqual({ cancelCompletion: true });
      const codes: unknown[] = [];
      for await (const { completion: event } of cancelled) codes.push(event.code);
      expect(codes.at(-1)).toBe('aborted');
      expect(await ask(another, mutation)).toEqual({ cancelCompletion: false });
    });

    it('call a provider once for one idempotency key, and replay its answer at each', async () => {
      const held = Promise.withResolvers<void>();
      provider.answerWith(async (request, response) => {
        await held.promise;
        return completion({ usage })(request, response);
      });
      const before = provider.requests.length;
      const keyed = (server: ServerProcess): Promise<Response> =>
        fetch(`${server.url}/v1/chat/completions`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${one.apiKey}`,
            'content-type': 'application/json',
            'idempotency-key': 'both',
          },
          body: JSON.stringify({ model: 'openai/priced', messages: [{ role: 'user', content: 'Hi' }] }),
        });
      const asked = [one, another].map(keyed);
      const refused = await Promise.race(asked);
      expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('idempotency_in_progress')]);
      held.resolve();
      const ran = (await Promise.all(asked)).find(({ status }) => status === 200);
      const text = await ran?.text();
      await expect.poll(async () => (await keyed(one)).status).toBe(200);
      await expect.poll(async () => (await keyed(another)).status).toBe(200);
      for (const each of [one, another]) expect(await (await keyed(each)).text()).toBe(text);
      expect(provider.requests.length - before).toBe(1);
    });

    it('refuse an access token that the other revoked, and not its key', async () => {
      const { createApiKey } = await ask(
        one,
        'mutation { createApiKey(input: { name: "k" }) { secret apiKey { id } } }',
      );
      const { secret, apiKey } = createApiKey;
      const { createAccessToken } = await ask(
        one,
        'mutation ($id: ID!) { createAccessToken(input: { apiKeyId: $id, scopes: [INFERENCE] }) { token accessToken { id } } }',
        { id: apiKey.id },
      );
      const { token, accessToken } = createAccessToken;
      expect(await chat(another, token, 'sandbox/chat', 1)).toEqual(['ok']);
      await ask(one, 'mutation ($id: ID!) { revokeAccessToken(id: $id) }', { id: accessToken.id });
      await expect.poll(() => chat(another, token, 'sandbox/chat', 1)).toEqual(['invalid_api_key']);
      expect(await chat(another, secret, 'sandbox/chat', 1)).toEqual(['ok']);
    });

    it('refuse a key that the other revoked', async () => {
      const { createApiKey } = await ask(
        one,
        'mutation { createApiKey(input: { name: "k" }) { secret apiKey { id } } }',
      );
      const { secret, apiKey } = createApiKey;
      expect(await chat(another, secret, 'sandbox/chat', 1)).toEqual(['ok']);
      await ask(one, 'mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id: apiKey.id });
      await expect.poll(() => chat(another, secret, 'sandbox/chat', 1)).toEqual(['invalid_api_key']);
    });

    it('hold a budget together, and again with what was spent after Redis was emptied', async () => {
      const spent = async (): Promise<number> => {
        const { budgets } = await ask(one, '{ budgets { spent { amount } } }');
        return Math.round(Number(budgets[0]?.spent.amount) * 1e9);
      };
      const usd = ((REQUESTS * REQUEST_NANO) / 1e9).toFixed(9);
      const secret = await newKey(`budget: { amount: "${usd}", period: MONTH }`);
      expect(await chat(one, secret, 'openai/priced', 4)).toEqual(['ok', 'ok', 'ok', 'ok']);
      // A settlement that was still under way would find the loss before the next request does.
      await expect.poll(spent).toBe(4 * REQUEST_NANO);
      const client = createRedisClient({ url: redis.url });
      await client.connect();
      await client.flushAll();
      client.destroy();
      // It finds the loss, or waits for what is counted anew: the look for thresholds may have found it before.
      const [next] = await chat(one, secret, 'openai/priced', 1);
      expect(['limits_unavailable', 'ok']).toContain(next);
      const before = next === 'ok' ? 5 : 4;
      await expect.poll(spent).toBe(before * REQUEST_NANO);
      // The other process may find the loss only now: requests that it refuses while it counts again are sent again.
      const both = [one, another].map((each) => chat(each, secret, 'openai/priced', 50, 10));
      const answers = (await Promise.all(both)).flat();
      expect(answers.filter((answer) => answer === 'ok')).toHaveLength(REQUESTS - before);
      expect(answers.filter((answer) => answer === 'insufficient_quota')).toHaveLength(100 - REQUESTS + before);
      expect(await spent()).toBe(REQUESTS * REQUEST_NANO);
    });

    it('let in together what a key may ask in a minute, and go on each for itself once Redis is gone', async () => {
      const secret = await newKey(`limits: { requestsPerMinute: ${LIMIT} }`);
      const began = Date.now();
      const both = [one, another].map((each) => chat(each, secret, 'sandbox/chat', 20));
      const answers = (await Promise.all(both)).flat();
      // A token comes back every 5 s while they ask.
      const refilled = Math.ceil((Date.now() - began) / 5_000);
      const admitted = answers.filter((answer) => answer === 'ok').length;
      expect(admitted).toBeGreaterThanOrEqual(LIMIT);
      expect(admitted).toBeLessThanOrEqual(LIMIT + refilled);
      expect(answers.filter((answer) => answer === 'rate_limit_exceeded')).toHaveLength(40 - admitted);
      await redis.kill();
      for (const each of [one, another]) expect(await chat(each, each.apiKey, 'sandbox/chat', 1)).toEqual(['ok']);
    });
  });
});
