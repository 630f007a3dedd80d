import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventIdOf } from '../../src/gateway/event-id.ts';
import { toGlobalId } from '../../src/graphql/relay/global-id.ts';
import { chunk, pieces, startFakeProvider, type FakeProvider } from '../harness/fake-provider.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';

let provider: FakeProvider;
let server: ServerProcess;

const answerSchema = z.object({
  data: z.object({ usageLog: z.object({ status: z.string(), content: z.object({ state: z.string() }) }).nullable() }),
});

beforeAll(async () => {
  provider = await startFakeProvider();
  server = await startServer({
    SLUICE_STORE_CONTENT: 'full',
    OPENAI_API_KEY: 'x',
    OPENAI_BASE_URL: provider.url,
  });
});
afterAll(async () => {
  await server.dispose();
  await provider.close();
});

function chat(level: string): Promise<Response> {
  return fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.apiKey}`,
      'content-type': 'application/json',
      'x-sluice-log': level,
    },
    body: JSON.stringify({
      model: 'openai/gpt-4.1-mini',
      stream: true,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  });
}

async function usageLog(requestId: string) {
  const id = toGlobalId('UsageLog', eventIdOf(requestId) ?? '');
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      query: 'query ($id: ID!) { usageLog(id: $id) { status content { state } } }',
      variables: { id },
    }),
  });
  return answerSchema.parse(await response.json()).data.usageLog;
}

describe('logged content of a server that is killed', () => {
  it('is lost, which the usage log tells from content that was not logged', async () => {
    provider.answerWith(pieces([chunk({ content: 'One' })], 'hang'));
    const responses = await Promise.all(['full', 'metadata', 'off'].map(chat));
    await server.end('SIGKILL');
    const ids = await Promise.all(
      responses.map(async (response) => {
        await response.text().catch(() => null);
        return response.headers.get('x-request-id') ?? '';
      }),
    );
    server = await server.restart();
    const states: unknown[] = [];
    for (const id of ids) {
      await expect.poll(() => usageLog(id)).not.toBeNull();
      states.push(await usageLog(id));
    }
    expect(states).toEqual(
      ['LOST', 'LOST', 'NOT_LOGGED'].map((state) => ({ status: 'INTERRUPTED', content: { state } })),
    );
  });
});
