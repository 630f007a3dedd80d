import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UsageRecord } from '../../../src/gateway/usage/usage-record.ts';
import { PartsRelay } from '../../../src/gateway/capabilities/chat/stream/parts-relay.ts';
import { STREAM_PARTS } from '../../../src/providers/contract.ts';
import { StreamPartWriter } from '../../../src/protocols/canonical/stream-part-writer.ts';
import { pieces, startFakeProvider, stream, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

const messages = [{ role: 'user' as const, content: 'Hello' }];

interface Spoken {
  readonly model: string;
  /** Reports the input tokens before any text. */
  readonly opening: readonly string[];
  readonly words: readonly string[];
  readonly ending: readonly string[];
}

const event = (data: { readonly type?: string; readonly [member: string]: unknown }): string =>
  `data: ${JSON.stringify(data)}\n\n`;
const candidate = (text: string, more: Record<string, unknown> = {}): unknown => ({
  content: { role: 'model', parts: [{ text }] },
  index: 0,
  ...more,
});
const usageMetadata = { promptTokenCount: 5_000, cachedContentTokenCount: 1_000, candidatesTokenCount: 1 };

const anthropic: Spoken = {
  model: 'anthropic/claude-sonnet-4-5',
  opening: [
    event({
      type: 'message_start',
      message: { id: 'msg_1', usage: { input_tokens: 4_000, cache_read_input_tokens: 1_000, output_tokens: 1 } },
    }),
  ],
  words: [
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    ...Array.from({ length: 20 }, (_, index) =>
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ` word${index}` } }),
    ),
  ],
  ending: [
    event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 41 } }),
    event({ type: 'message_stop' }),
  ],
};
const gemini: Spoken = {
  model: 'gemini/gemini-2.5-flash',
  opening: [event({ candidates: [candidate('')], usageMetadata })],
  words: Array.from({ length: 20 }, (_, index) =>
    event({
      candidates: [candidate(` word${index}`)],
      usageMetadata: { ...usageMetadata, candidatesTokenCount: index },
    }),
  ),
  ending: [
    event({
      candidates: [candidate('', { finishReason: 'STOP' })],
      usageMetadata: { ...usageMetadata, candidatesTokenCount: 41 },
    }),
  ],
};

let provider: FakeProvider;
let other: FakeProvider;
let gateway: TestGateway;
let client: OpenAI;

beforeEach(async () => {
  provider = await startFakeProvider();
  other = await startFakeProvider();
  gateway = await startGateway({
    providers: { anthropic: provider.url, gemini: provider.url, openai: other.url },
    config: `
routes:
  either-anthropic:
    targets: [${anthropic.model}, openai/gpt-5.5]
  either-gemini:
    targets: [${gemini.model}, openai/gpt-5.5]
`,
  });
  client = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
});
afterEach(async () => {
  await gateway.close();
  await provider.close();
  await other.close();
});

async function chunksOf(answer: AsyncIterable<OpenAI.ChatCompletionChunk>): Promise<OpenAI.ChatCompletionChunk[]> {
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  for await (const part of answer) chunks.push(part);
  return chunks;
}

async function settled(): Promise<UsageRecord> {
  const [record] = await gateway.settledCount(1);
  if (record === undefined) throw new Error('nothing was settled');
  return record;
}

describe.each([
  ['anthropic', anthropic],
  ['gemini', gemini],
])('a stream whose provider reports input tokens early: %s', (name, { model, opening, words, ending }) => {
  it('is billed by these tokens when the client disconnects', async () => {
    provider.answerWith(pieces([...opening, ...words], 'hang'));
    const answer = await client.chat.completions.create({ model, messages, stream: true });
    for await (const part of answer) if (part.choices[0]?.delta.content === ' word19') break;
    const record = await settled();
    expect(record).toMatchObject({ status: 'aborted', estimated: true, input_tokens: 5_000, cached_tokens: 1_000 });
    expect(record.output_tokens).toBeGreaterThan(15);
    expect(record.output_tokens).toBeLessThan(80);
  });

  it('is billed by these tokens when the provider disconnects', async () => {
    provider.answerWith(pieces([...opening, ...words], 'end'));
    const answer = await client.chat.completions.create({ model, messages, stream: true });
    await expect(chunksOf(answer)).rejects.toThrow();
    const record = await settled();
    expect(record).toMatchObject({ status: 'failed', estimated: true, input_tokens: 5_000 });
    expect(record.output_tokens).toBeGreaterThan(15);
  });

  it('sends the client only the last usage, at the end', async () => {
    provider.answerWith(pieces([...opening, ...words, ...ending], 'end'));
    const asked = { model, messages, stream: true as const, stream_options: { include_usage: true } };
    const chunks = await chunksOf(await client.chat.completions.create(asked));
    expect(chunks.filter(({ usage }) => usage)).toHaveLength(1);
    expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 5_000, completion_tokens: 41 });
    expect(await settled()).toMatchObject({ estimated: false, input_tokens: 5_000, output_tokens: 41 });
  });

  it('sends no usage to a client that did not request it', async () => {
    provider.answerWith(pieces([...opening, ...words, ...ending], 'end'));
    const chunks = await chunksOf(await client.chat.completions.create({ model, messages, stream: true }));
    expect(chunks.filter((part) => 'usage' in part)).toEqual([]);
    expect(chunks.filter(({ choices }) => choices.length === 0)).toEqual([]);
  });

  it('falls back to another target without a charge when it ends after that report', async () => {
    provider.answerWith(pieces(opening, 'end'));
    other.answerWith(stream(['Instead']));
    const asked = { messages, stream: true as const, stream_options: { include_usage: true } };
    const answer = await client.chat.completions.create({ ...asked, model: `either-${name}` });
    const chunks = await chunksOf(answer);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Instead');
    expect(await settled()).toMatchObject({ status: 'succeeded', provider: 'openai', input_tokens: 12 });
  });

  it('costs nothing when no other target responds', async () => {
    provider.answerWith(pieces(opening, 'end'));
    await expect(client.chat.completions.create({ model, messages, stream: true })).rejects.toThrow();
    expect(await settled()).toMatchObject({ status: 'failed', input_tokens: 0, cost_nano: '0' });
  });
});

it('is metered before the first token, without a report to the client', () => {
  const writer = new StreamPartWriter('a-model');
  writer.begin({});
  writer.usage({ inputTokens: 5_000, outputTokens: 1 });
  const relay = new PartsRelay({
    contentType: STREAM_PARTS,
    summary: null,
    provider: 'fake',
    wantsUsage: false,
    pricing: { costOf: () => 0n },
    watched: () => false,
    watch: () => undefined,
  });
  expect(relay.pushParts(writer.take() ?? [])).toBeNull();
  expect(relay.usage).toMatchObject({ inputTokens: 5_000 });
  writer.text('Hello');
  expect(relay.pushParts(writer.take() ?? [])?.toString()).not.toContain('usage');
});
