import { afterAll, beforeAll, expect, it } from 'vitest';
import { anthropicEvent, anthropicMessage } from '../../harness/anthropic-schema.ts';
import { json, pieces, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';
import { readEventData } from '../../harness/read-events.ts';
import { replayingProviders } from './recordings.ts';

let upstream: FakeProvider;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startFakeProvider();
  gateway = await startGateway({ openai: upstream.url, providers: replayingProviders(upstream.url) });
});

afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const model = 'gemini/gemini-3-pro-preview';

function post(stream: boolean): Promise<Response> {
  return fetch(`${gateway.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': secret, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model, stream, max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] }),
  });
}

/** A response of Gemini. */
function answerOf(parts: object[]): object {
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    modelVersion: 'gemini-3-pro-preview-11-2025',
    responseId: 'r',
  };
}

async function eventsOf(parts: object[]): Promise<ReturnType<typeof JSON.parse>[]> {
  upstream.answerWith(pieces([`data: ${JSON.stringify(answerOf(parts))}\r\n\r\n`], 'end'));
  const events = readEventData(await (await post(true)).text());
  for (const event of events) if (event.type !== 'ping') anthropicEvent.parse(event);
  return events;
}

/** The types of the blocks; each is complete before the next one starts. */
function blocksOf(events: ReturnType<typeof JSON.parse>[]): string[] {
  const blocks: string[] = [];
  let open = -1;
  for (const { type, index, content_block: block } of events) {
    if (type === 'content_block_start') {
      blocks.push(block.type);
      open = index;
    } else if (type === 'content_block_delta') expect(index).toBe(open);
    else if (type === 'content_block_stop') {
      expect(index).toBe(open);
      open = -1;
    }
  }
  return blocks;
}

const call = (n: number) => ({ functionCall: { name: 'look', args: { n } } });

it('keeps the arguments of a signed call in its block', async () => {
  const events = await eventsOf([{ ...call(1), thoughtSignature: 'c2lnbmVk' }, call(2)]);
  expect(blocksOf(events)).toEqual(['thinking', 'tool_use', 'tool_use']);
  const inputs = events.flatMap(({ delta }) => (delta?.type === 'input_json_delta' ? [delta.partial_json] : []));
  expect(inputs).toEqual(['{"n":1}', '{"n":2}']);
});

it('puts the signature of a text before the call that follows it', async () => {
  const events = await eventsOf([{ text: 'Looking.', thoughtSignature: 'dGV4dA==' }, call(1)]);
  expect(blocksOf(events)).toEqual(['text', 'thinking', 'tool_use']);
});

it('names the model as it was requested', async () => {
  const [start] = await eventsOf([{ text: 'Hello.' }]);
  expect(start.message.model).toBe(model);
  upstream.answerWith(json(200, answerOf([{ text: 'Hello.' }])));
  expect(anthropicMessage.parse(await (await post(false)).json()).model).toBe(model);
});
