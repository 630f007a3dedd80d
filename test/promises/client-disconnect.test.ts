import { afterAll, beforeAll, expect, it } from 'vitest';
import { chunk, pieces, silence, startFakeProvider, type FakeProvider } from '../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../harness/gateway.ts';
import { medianOf, millisecondsOf } from './median.ts';

let provider: FakeProvider;
let gateway: TestGateway;

beforeAll(async () => {
  provider = await startFakeProvider();
  gateway = await startGateway({ openai: provider.url });
});

afterAll(async () => {
  await gateway.close();
  await provider.close();
});

it.each([
  ['before the answer of an unstreamed request', false, silence, false],
  ['before the headers of a stream', true, silence, false],
  ['before the first token', true, pieces([''], 'hang'), false],
  ['after the first token', true, pieces([chunk({ content: 'One' })], 'hang'), true],
] as const)(
  'closes the provider’s socket within 1 s when the client disconnects %s',
  async (_when, stream, script, isRead) => {
    provider.answerWith(script);
    const median = await medianOf(async () => {
      const leaving = new AbortController();
      const answer = fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'openai/gpt-4.1-mini', stream, messages: [{ role: 'user', content: 'Hi' }] }),
        signal: leaving.signal,
      });
      const ended = answer.catch(() => null);
      const { aborted } = await provider.nextRequest();
      if (isRead) await (await answer).body?.getReader().read();
      const took = await millisecondsOf(() => {
        leaving.abort();
        return aborted;
      });
      await ended;
      return took;
    });
    expect(median).toBeLessThan(1_000);
  },
);
