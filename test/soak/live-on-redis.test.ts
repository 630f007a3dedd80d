import { createClient, type Client } from 'graphql-ws';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { describeOnEachDatabase } from '../harness/databases.ts';
import { chunk, pieces, startFakeProvider, type FakeProvider } from '../harness/fake-provider.ts';
import { describeWithRedis, startRedis, type RunningRedis } from '../harness/redis.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';

const answerSchema = z.object({ data: z.record(z.string(), z.any()).nullish() });

describeOnEachDatabase('processes on one database and one Redis', (databases) => {
  describeWithRedis('with REDIS_URL', () => {
    let redis: RunningRedis;
    let provider: FakeProvider;
    let one: ServerProcess;
    let another: ServerProcess;
    const clients: Client[] = [];

    beforeAll(async () => {
      redis = await startRedis();
      provider = await startFakeProvider();
      // The embedded database has one opener.
      const url = databases.kind === 'server' ? (await databases.place()).url : undefined;
      one = await startServer({
        ...(url !== undefined && { DATABASE_URL: url }),
        REDIS_URL: redis.url,
        SLUICE_SECRET: 'a master key for tests, which is long enough',
        OPENAI_API_KEY: 'x',
        OPENAI_BASE_URL: provider.url,
      });
      another = url === undefined ? one : await one.another();
    });

    afterAll(async () => {
      for (const client of clients) await client.dispose();
      if (another !== one) await another.dispose();
      await one.dispose();
      await provider.close();
      await redis.stop();
    });

    async function ask(server: ServerProcess, query: string, variables: object = {}) {
      const response = await fetch(`${server.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      return answerSchema.parse(await response.json()).data ?? {};
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

    function chat(server: ServerProcess): Promise<Response> {
      return fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'openai/gpt-4.1-mini',
          stream: true,
          messages: [{ role: 'user', content: 'Hi' }],
        }),
      });
    }

    it('see each other’s live completions', async () => {
      provider.answerWith(pieces([chunk({ content: 'over there' }), chunk({}, 'stop'), 'data: [DONE]\n\n'], 'end'));
      const query =
        'subscription { liveCompletions { requestId event { __typename ... on CompletionDelta { text } } } }';
      const texts: unknown[] = [];
      const watching = (async () => {
        for await (const { liveCompletions } of events(another, query)) {
          texts.push(liveCompletions.event.text);
          if (liveCompletions.event.__typename === 'CompletionFinished') return;
        }
      })();
      // It is not told when a subscription stands: until then requests are sent again.
      const sent: Promise<string>[] = [];
      const sending = setInterval(() => sent.push(chat(one).then((answer) => answer.text())), 500);
      await watching;
      clearInterval(sending);
      await Promise.all(sent);
      expect(texts).toContain('over there');
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
  });
});
