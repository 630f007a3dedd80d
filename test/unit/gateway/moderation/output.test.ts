import { setImmediate as nextTurn } from 'node:timers/promises';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SluiceError } from '../../../../src/errors/index.ts';
import type { CompletionUpdate } from '../../../../src/live/events.ts';
import {
  chunk,
  completion,
  json,
  pieces,
  refusal,
  silence,
  stream,
  streamEvents,
  type Script,
} from '../../../harness/fake-provider.ts';
import { secret, startGateway, type GatewayOptions, type TestGateway } from '../../../harness/gateway.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';
import { ask, moderationConfig, judge, model, startModerated, type ModeratedProvider } from './moderated-gateway.ts';

let fake: ModeratedProvider;
let gateway: TestGateway;

beforeEach(async () => {
  fake = await startModerated();
});

afterEach(async () => {
  await gateway.close();
  await fake.provider.close();
});

async function start(options: GatewayOptions): Promise<OpenAI> {
  gateway = await startGateway({ openai: fake.provider.url, ...options });
  return new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 });
}

const messages = [{ role: 'user' as const, content: 'Hello' }];
const answer = (content: string, more: object = {}): Script =>
  completion({ choices: [{ index: 0, message: { role: 'assistant', content, ...more }, finish_reason: 'stop' }] });

/** Its billed cost: 12 tokens in, of which 4 cached, and 5 out, at 0.40, 0.10 and 1.60 USD a million. */
const COST = String(8 * 400 + 4 * 100 + 5 * 1_600);

describe('an unstreamed response with the action `block`', () => {
  it('is withheld where it is flagged, and is billed', async () => {
    const client = await start({ config: moderationConfig('block', ['output']) });
    fake.chatWith(answer('Something terrible'));
    const asked = client.chat.completions.create({ model, messages });
    await expect(asked).rejects.toMatchObject({ status: 400, code: 'content_flagged', param: null });
    await expect(asked).rejects.not.toThrow(/terrible/);
    expect(fake.judged()).toEqual([['Something terrible']]);
    const records = await gateway.settledCount(2);
    expect(records.find(({ capability }) => capability === 'chat')).toMatchObject({
      status: 'failed',
      http_status: 400,
      error_code: 'content_flagged',
      estimated: false,
      input_tokens: 12,
      output_tokens: 5,
      cost_nano: COST,
    });
  });

  it('is sent unchanged where it is not flagged, with its cost', async () => {
    await start({ config: moderationConfig('block') });
    fake.chatWith(answer('Something nice'));
    const got = await ask(gateway, {});
    expect(got.status).toBe(200);
    expect(got.headers.get('x-sluice-moderation')).toBeNull();
    expect(got.headers.get('x-sluice-cost')).toBe('0.0000116');
    expect(JSON.parse(await got.text()).choices[0].message.content).toBe('Something nice');
  });

  it.each([
    ['reasoning', { reasoning_content: 'terrible thoughts' }],
    ['a refusal', { content: null, refusal: 'terrible words' }],
    [
      'a tool call',
      { content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '"terrible"' } }] },
    ],
  ])('is moderated by %s too', async (_what, members) => {
    await start({ config: moderationConfig('block', ['output']) });
    fake.chatWith(answer('fine', members));
    expect((await ask(gateway, {})).status).toBe(400);
  });

  it('is moderated in each of its choices', async () => {
    await start({ config: moderationConfig('block', ['output']) });
    const choice = (index: number, content: string) => ({
      index,
      message: { role: 'assistant', content },
      finish_reason: 'stop',
    });
    fake.chatWith(completion({ choices: [choice(0, 'fine'), choice(1, 'terrible')] }));
    expect((await ask(gateway, {})).status).toBe(400);
    expect(fake.judged()).toEqual([['fine', 'terrible']]);
  });

  it('is withheld where the moderation model fails, and is billed', async () => {
    await start({ config: moderationConfig('block', ['output']) });
    fake.moderateWith(refusal(500, 'broken'));
    const got = await ask(gateway, {});
    expect(got.status).toBe(503);
    expect(JSON.parse(await got.text()).error.code).toBe('moderation_unavailable');
    const records = await gateway.settledCount(2);
    expect(records.find(({ capability }) => capability === 'chat')).toMatchObject({
      status: 'failed',
      cost_nano: COST,
    });
  });

  it('is billed where its client disconnects during moderation', async () => {
    await start({ config: moderationConfig('block', ['output']) });
    fake.moderateWith(silence);
    const leaving = new AbortController();
    const asked = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages }),
    });
    await fake.provider.nextRequest();
    const moderation = await fake.provider.nextRequest();
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await moderation.aborted;
    const records = await gateway.settledCount(2);
    expect(records.find(({ capability }) => capability === 'chat')).toMatchObject({
      status: 'aborted',
      cost_nano: COST,
    });
    expect(gateway.pipeline.openCount).toBe(0);
  });

  it('is moderated again where it comes from the cache', async () => {
    await start({ config: moderationConfig('block', ['output']), key: { cacheMs: 60_000 } });
    fake.chatWith(answer('Something terrible'));
    expect((await ask(gateway, {})).status).toBe(400);
    expect((await ask(gateway, {})).status).toBe(400);
    expect(fake.chats()).toHaveLength(1);
    expect(fake.judged()).toHaveLength(2);
  });

  it('is not sent to live subscribers before it is moderated', async () => {
    const result: CompletionUpdate[] = [];
    await start({ config: moderationConfig('block', ['output']) });
    fake.chatWith(answer('Something terrible'));
    const watching = gateway.live.subscribe(gateway.key.accountId, null, new AbortController().signal);
    const first = watching.next();
    await ask(gateway, {});
    for (let item = await first; !item.done; item = await watching.next()) {
      if (item.value.type === 'gap') continue;
      const { update } = item.value.event;
      result.push(update);
      if (update.type === 'failed') break;
    }
    expect(result.map(({ type }) => type)).toContain('started');
    expect(result.map(({ type }) => type)).not.toContain('delta');
  });
});

describe('an unstreamed response with the action `annotate`', () => {
  it.each([
    ['Something nice', 'input=none; output=none'],
    ['Something terrible', 'input=none; output=harassment,violence'],
  ])('%j is sent unchanged, and its header is %s', async (content, header) => {
    await start({ config: moderationConfig('annotate') });
    fake.chatWith(answer(content));
    const got = await ask(gateway, {});
    expect(got.headers.get('x-sluice-moderation')).toBe(header);
    expect(Object.keys(JSON.parse(await got.text()))).not.toContain('moderation');
  });

  it('is sent where the moderation model fails', async () => {
    await start({ config: moderationConfig('annotate', ['output']) });
    fake.moderateWith(json(200, 'no answer'));
    const got = await ask(gateway, {});
    expect(got.status).toBe(200);
    expect(got.headers.get('x-sluice-moderation')).toBe('output=unavailable');
  });

  it('without text is not flagged', async () => {
    await start({ config: moderationConfig('annotate', ['output']) });
    fake.chatWith(answer(''));
    expect((await ask(gateway, {})).headers.get('x-sluice-moderation')).toBe('output=none');
    expect(fake.judged()).toEqual([]);
  });
});

const quiet = Array.from({ length: 40 }, (_, at) => `${at} is a quiet and harmless number, `);

describe('a stream with the action `block`', () => {
  it('is complete where nothing is flagged, and moderated in windows', async () => {
    const client = await start({ config: moderationConfig('block', ['output']) });
    fake.chatWith(pieces(streamEvents(quiet, true), 'end'));
    const chunks = await client.chat.completions.create({
      model,
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let usage;
    for await (const part of chunks) {
      text += part.choices[0]?.delta.content ?? '';
      usage = part.usage ?? usage;
    }
    expect(text).toBe(quiet.join(''));
    expect(usage).toMatchObject({ completion_tokens: 5, cost: 0.0000116 });
    expect(fake.judged().length).toBeGreaterThan(1);
    const judgedText = fake.judged().flat().join('');
    for (const part of quiet) expect(judgedText).toContain(part.slice(0, 10));
    const records = await gateway.settledCount(1 + fake.judged().length);
    expect(records.find(({ capability }) => capability === 'chat')).toMatchObject({
      status: 'succeeded',
      cost_nano: COST,
    });
  });

  it('ends before flagged content with an error event, and is billed for its output', async () => {
    const client = await start({ config: moderationConfig('block', ['output']) });
    const texts = [...quiet, ...quiet, 'and then terrible things ', ...quiet];
    fake.chatWith(pieces(streamEvents(texts, true), 'end'));
    const chunks = await client.chat.completions.create({ model, messages, stream: true });
    let text = '';
    const read = async (): Promise<void> => {
      for await (const part of chunks) text += part.choices[0]?.delta.content ?? '';
    };
    await expect(read()).rejects.toMatchObject({ code: 'content_flagged' });
    expect(text).not.toContain('terrible');
    expect(`${quiet.join('')}${quiet.join('')}`.startsWith(text)).toBe(true);
    const records = await gateway.settledCount(2);
    const record = records.find(({ capability }) => capability === 'chat');
    expect(record).toMatchObject({ status: 'failed', error_code: 'content_flagged' });
    expect(Number(record?.cost_nano)).toBeGreaterThan(0);
  });

  it('is flagged for content across two windows', async () => {
    await start({ config: moderationConfig('block', ['output']) });
    const texts = ['x'.repeat(995), ' terr', 'ible ', 'y'.repeat(1_200)];
    fake.chatWith(pieces(streamEvents(texts, true), 'end'));
    const got = await (await ask(gateway, { stream: true })).text();
    expect(got).toContain('content_flagged');
    expect(got).not.toContain('yyy');
  });

  it('that is short is rejected before any output', async () => {
    await start({ config: moderationConfig('block', ['output']) });
    fake.chatWith(stream(['Something ', 'terr', 'ible']));
    const got = await ask(gateway, { stream: true });
    expect(got.status).toBe(400);
    expect(JSON.parse(await got.text()).error.code).toBe('content_flagged');
    const records = await gateway.settledCount(2);
    expect(records.find(({ capability }) => capability === 'chat')).toMatchObject({
      status: 'failed',
      cost_nano: COST,
    });
  });

  it('is rejected where the moderation model fails', async () => {
    await start({ config: moderationConfig('block', ['output']) });
    fake.moderateWith(refusal(500, 'broken'));
    fake.chatWith(stream(['Something nice']));
    const got = await ask(gateway, { stream: true });
    expect(got.status).toBe(503);
  });

  it('shows nothing during the moderation of its first window, without waiting for its provider', async () => {
    const clock = new FakeClock();
    const timeouts = { betweenChunks: 500 };
    await start({ config: moderationConfig('block', ['output']), timeouts, pipelineClock: clock });
    const judging = Promise.withResolvers<void>();
    fake.moderateWith(async (request, response) => {
      await judging.promise;
      await json(200, judge(request.json.input))(request, response);
    });
    fake.chatWith(pieces(streamEvents(quiet.slice(0, 3), true), 'end'));
    let answered = false;
    const asked = ask(gateway, { stream: true }).then((response) => {
      answered = true;
      return response;
    });
    await fake.provider.nextRequest();
    await fake.provider.nextRequest();
    // A provider that stops sending later times out: so the time of the first has passed, too.
    fake.chatWith(pieces(streamEvents(quiet.slice(0, 3), true).slice(0, 3), 'hang'));
    let givenUp: number | null = null;
    void ask(gateway, { stream: true }).then(({ status }) => (givenUp = status));
    // Provider and gateway are in this process: what they send arrives within some turns, on any machine.
    while (givenUp === null) {
      clock.advance(5);
      await nextTurn();
    }
    expect(givenUp).toBe(504);
    expect(answered).toBe(false);
    judging.resolve();
    expect(await (await asked).text()).toContain('[DONE]');
  });

  it('is served by another target where the first one fails before any output', async () => {
    const config = `${moderationConfig('block', ['output'])}routes:\n  both:\n    targets: [openai/one, openai/two]\n`;
    await start({ config });
    fake.chatWith((request, response) => {
      const first = request.json.model === 'one';
      const script = first
        ? pieces([chunk({ role: 'assistant', content: 'terrible beginning' })], 'cut')
        : stream(['Something nice']);
      return script(request, response);
    });
    const got = await (await ask(gateway, { model: 'both', stream: true })).text();
    expect(got).toContain('Something nice');
    expect(got).not.toContain('terrible');
    expect(got).toContain('[DONE]');
  });

  it('pauses a fast provider, and loses nothing of a long response', async () => {
    const limits = {
      requestsPerMinute: 10_000,
      tokensPerMinute: 100_000_000,
      requestsPerDay: Infinity,
      concurrency: 5,
    };
    const client = await start({ config: moderationConfig('block', ['output']), key: { limits } });
    const long = Array.from({ length: 600 }, (_, at) => `${at}:${'z'.repeat(8_000)} `);
    fake.chatWith(pieces(streamEvents(long, true), 'end'));
    const chunks = await client.chat.completions.create({ model, messages, stream: true });
    let text = '';
    for await (const part of chunks) text += part.choices[0]?.delta.content ?? '';
    expect(text === long.join('')).toBe(true);
  });

  it('is cancelled when its client disconnects during moderation', async () => {
    await start({ config: moderationConfig('block', ['output']) });
    fake.moderateWith(silence);
    fake.chatWith(pieces(streamEvents(quiet, true).slice(0, 30), 'hang'));
    const leaving = new AbortController();
    const asked = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages, stream: true }),
    });
    const chat = await fake.provider.nextRequest();
    const moderation = await fake.provider.nextRequest();
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await Promise.all([chat.aborted, moderation.aborted]);
    const records = await gateway.settledCount(2);
    expect(records.map(({ status }) => status)).toEqual(['aborted', 'aborted']);
    expect(gateway.pipeline.openCount).toBe(0);
  });
});

describe('a stream whose key is revoked', () => {
  it.each([
    ['is billed for output that moderation still held', moderationConfig('block', ['output'])],
    ['is billed for output that was sent', ''],
  ])('%s', async (_name, config) => {
    await start({ config });
    fake.moderateWith(silence);
    // Longer than a window: its moderation begins.
    const sent = [chunk({ role: 'assistant', content: '' }), chunk({ content: 'fine words '.repeat(400) })];
    fake.chatWith(pieces(sent, 'hang'));
    const asked = ask(gateway, { stream: true });
    await fake.provider.nextRequest();
    if (config === '') await (await asked).body?.getReader().read();
    else await fake.provider.nextRequest();
    gateway.pipeline.endKey(gateway.key.id, new SluiceError('invalid_api_key', { values: { key: 'it was revoked' } }));
    const records = await gateway.settledCount(config === '' ? 1 : 2);
    const row = records.find(({ capability }) => capability === 'chat');
    expect(row).toMatchObject({ status: 'failed', error_code: 'invalid_api_key', estimated: true });
    expect(row?.output_tokens).toBeGreaterThan(1_000);
    expect(BigInt(row?.cost_nano ?? 0)).toBeGreaterThan(1_600_000n);
  });
});

describe('a stream with the action `annotate`', () => {
  it.each([
    [['Something ', 'nice'], { flagged: false, categories: [] }],
    [['Something ', 'terrible'], { flagged: true, categories: ['harassment', 'violence'] }],
  ])('of %j is complete, and its last chunk has the result', async (texts, output) => {
    const client = await start({ config: moderationConfig('annotate') });
    fake.chatWith(stream(texts));
    const { data, response } = await client.chat.completions
      .create({ model, messages, stream: true, stream_options: { include_usage: true } })
      .withResponse();
    expect(response.headers.get('x-sluice-moderation')).toBe('input=none');
    let text = '';
    const chunks = [];
    for await (const part of data) {
      text += part.choices[0]?.delta.content ?? '';
      chunks.push(part);
    }
    expect(text).toBe(texts.join(''));
    expect(chunks.at(-1)).toMatchObject({
      id: 'chatcmpl-fake',
      object: 'chat.completion.chunk',
      model: 'fake-model',
      choices: [{ index: 0, delta: {}, finish_reason: null }],
      moderation: { output },
    });
  });

  it('is annotated as unavailable where the moderation model fails', async () => {
    await start({ config: moderationConfig('annotate', ['output']) });
    fake.moderateWith(refusal(500, 'broken'));
    fake.chatWith(stream(['Something nice']));
    const got = await (await ask(gateway, { stream: true })).text();
    expect(got).toContain('"moderation":{"output":{"flagged":null,"categories":[]}}');
    expect(got.trimEnd().endsWith('data: [DONE]')).toBe(true);
  });

  it('is not delayed by its moderation', async () => {
    const client = await start({ config: moderationConfig('annotate', ['output']) });
    fake.moderateWith(silence);
    fake.chatWith(stream(['Something ', 'nice']));
    const chunks = await client.chat.completions.create({ model, messages, stream: true });
    let text = '';
    for await (const part of chunks) {
      text += part.choices[0]?.delta.content ?? '';
      if (text === 'Something nice') break;
    }
    expect(text).toBe('Something nice');
  });

  it('is accepted by the helpers of OpenAI’s SDK', async () => {
    const client = await start({ config: moderationConfig('annotate', ['output']) });
    fake.chatWith(stream(['Something ', 'terrible']));
    const whole = await client.chat.completions.stream({ model, messages }).finalChatCompletion();
    expect(whole.choices).toHaveLength(1);
    expect(whole.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'Something terrible' } });
  });

  it('is accepted by the AI SDK', async () => {
    await start({ config: moderationConfig('annotate', ['output']) });
    fake.chatWith(stream(['Something ', 'terrible']));
    const provider = createOpenAICompatible({ name: 'sluice', baseURL: `${gateway.url}/v1`, apiKey: secret });
    const { stream: parts } = await provider(model).doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    });
    const seen = [];
    for await (const part of parts) seen.push(part);
    expect(seen.filter(({ type }) => type === 'error')).toEqual([]);
    expect(seen.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('')).toBe('Something terrible');
    expect(seen.find(({ type }) => type === 'finish')).toMatchObject({ finishReason: { unified: 'stop' } });
  });
});
