import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { chunk, pieces, startFakeProvider, type FakeProvider } from '../harness/fake-provider.ts';
import { post } from '../harness/graphql-client.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { medianOf, millisecondsOf } from './median.ts';

/** As `src/composition/stop.ts` has it, and the time that the parts behind it may take. */
const DRAIN_MS = 20_000;
const CLOSE_MS = 10_000;

let provider: FakeProvider;
let server: ServerProcess;

beforeAll(async () => {
  provider = await startFakeProvider(pieces([chunk({ content: 'One' })], 'hang'));
  server = await startServer({ OPENAI_API_KEY: 'x', OPENAI_BASE_URL: provider.url });
});

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

/** A stream that its provider does not end. */
async function openStream(): Promise<{ requestId: string; whole: Promise<string> }> {
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'openai/gpt-4.1-mini',
      stream: true,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  });
  return { requestId: response.headers.get('x-request-id') ?? '', whole: response.text().catch(() => '') };
}

const logged = z.array(z.object({ requestId: z.string(), status: z.string() }));

async function statusOf(id: string): Promise<string | undefined> {
  const query = '{ usageLogs(first: 100) { nodes { requestId status } } }';
  const { data } = await post(server.url, { query }, { authorization: `Bearer ${server.apiKey}` });
  return logged.parse(data?.usageLogs.nodes).find(({ requestId }) => requestId === id)?.status;
}

it('resolves an open request within 60 s of the restart after a kill -9', async () => {
  const median = await medianOf(async () => {
    const { requestId, whole } = await openStream();
    await server.end('SIGKILL');
    await whole;
    return millisecondsOf(async () => {
      server = await server.restart();
      // Each look costs the caller points, of which there are so many a minute.
      while ((await statusOf(requestId)) !== 'INTERRUPTED') await new Promise((resolve) => setTimeout(resolve, 100));
    });
  });
  expect(median).toBeLessThan(60_000);
});

it('exits within the drain limit after SIGTERM, with an error to each open stream', async () => {
  const median = await medianOf(async () => {
    const { requestId, whole } = await openStream();
    const took = await millisecondsOf(async () => expect(await server.end('SIGTERM')).toBe(0));
    expect(await whole).toContain('"error"');
    server = await server.restart();
    while ((await statusOf(requestId)) === undefined);
    return took;
  });
  expect(median).toBeLessThan(DRAIN_MS + CLOSE_MS);
});
