import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Budget } from '../../../src/gateway/keys/spend-bound.ts';
import { completion, refusal, startFakeProvider, stream, type FakeProvider } from '../../harness/fake-provider.ts';
import { key, secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

const config = `
routes:
  either: { targets: [openai/gpt-4.1, deepseek/deepseek-chat] }
  elsewhere: { targets: [openai/gpt-4.1, anthropic/claude-sonnet-4-5] }
`;
const prompt = 'The water rises behind the gate,\n "model" and all – 水門.\t'.repeat(8) + 'and rises '.repeat(10_000);

let provider: FakeProvider;
let gateway: TestGateway;

beforeAll(async () => {
  provider = await startFakeProvider();
  const providers = { openai: provider.url, deepseek: provider.url, anthropic: provider.url };
  gateway = await startGateway({ providers, config });
});

afterAll(async () => {
  await gateway.close();
  await provider.close();
});

async function ask(body: Record<string, unknown> | string, headers: Record<string, string> = {}, { url } = gateway) {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

const chat = (model: string, more: Record<string, unknown> = {}) => ({
  model,
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: prompt },
  ],
  ...more,
});
const last = () => provider.requests.at(-1)?.json;

describe('a long prompt', () => {
  it('is sent unchanged to a provider with the same protocol', async () => {
    provider.answerWith(completion());
    expect(await ask(chat('openai/gpt-4.1', { temperature: 0.5 }))).toMatchObject({ status: 200 });
    expect(last()).toEqual(chat('gpt-4.1', { temperature: 0.5 }));
  });

  it('is streamed with usage requested', async () => {
    provider.answerWith(stream(['Hello']));
    const answer = await ask(chat('openai/gpt-4.1', { stream: true, stream_options: { include_obfuscation: false } }));
    expect(answer.text).toContain('[DONE]');
    const stream_options = { include_obfuscation: false, include_usage: true };
    expect(last()).toEqual(chat('gpt-4.1', { stream: true, stream_options }));
  });

  it('is streamed byte for byte, with usage requested behind its members', async () => {
    provider.answerWith(stream(['Hello']));
    const body = JSON.stringify(chat('openai/gpt-4.1', { stream: true }), null, 1);
    expect(await ask(body)).toMatchObject({ status: 200 });
    const sent = provider.requests.at(-1);
    // The name is written over the longer one; the last member is followed by a line break.
    const named = body.replace('"openai/gpt-4.1"', '"gpt-4.1"       ');
    expect(sent?.body).toBe(`${named.slice(0, -2)},"stream_options":{"include_usage":true}}`);
    expect(sent?.headers['content-length']).toBe(String(sent?.bytes.length));
    expect(sent?.headers['transfer-encoding']).toBeUndefined();
  });

  it('is streamed completely to the next target', async () => {
    provider.answerWith((request, response) =>
      (request.json.model === 'gpt-4.1' ? refusal(503, 'down') : stream(['Hello']))(request, response),
    );
    const asked = provider.requests.length;
    expect(await ask(chat('either', { stream: true }))).toMatchObject({ status: 200 });
    const stream_options = { include_usage: true };
    const sent = provider.requests.slice(asked).map(({ json }) => json);
    expect(new Set(sent.map(({ model }) => model))).toEqual(new Set(['gpt-4.1', 'deepseek-chat']));
    for (const { model, ...rest } of sent)
      expect({ model, ...rest }).toEqual(chat(String(model), { stream: true, stream_options }));
  });

  it('is sent completely to the next target', async () => {
    provider.answerWith((request, response) =>
      (request.json.model === 'gpt-4.1' ? refusal(503, 'down') : completion())(request, response),
    );
    expect(await ask(chat('either'))).toMatchObject({ status: 200 });
    expect(last()).toMatchObject(chat('deepseek-chat'));
  });

  it('is sent completely to a provider with another protocol', async () => {
    provider.answerWith((request, response) =>
      (request.path.endsWith('/messages') ? anthropicAnswer : refusal(503, 'down'))(request, response),
    );
    expect(await ask(chat('elsewhere'))).toMatchObject({ status: 200 });
    expect(JSON.stringify(last())).toContain(JSON.stringify(prompt));
  });

  it('has the same limits as a short one', async () => {
    expect(await ask(chat('openai/gpt-4.1', { temperature: 3 }))).toMatchObject({ status: 400 });
    expect(await ask(chat('openai/gpt-4.1', { metadata: { content: 'x'.repeat(9_000) } }))).toMatchObject({
      status: 400,
    });
    expect(await ask(JSON.stringify(chat('openai/gpt-4.1')).slice(0, -1))).toMatchObject({ status: 400 });
  });

  it('with an error inside is rejected before a provider gets it', async () => {
    const asked = provider.requests.length;
    const body = JSON.stringify(chat('openai/gpt-4.1')).replace('and rises and', 'and \\x and');
    const answer = await ask(body);
    expect(answer).toMatchObject({ status: 400 });
    expect(JSON.parse(answer.text).error.message).toContain('JSON');
    expect(provider.requests.length).toBe(asked);
  });

  it('is answered from the cache only for exactly the same text', async () => {
    provider.answerWith(completion());
    const kept = { 'x-sluice-cache': 'ttl=60' };
    const other = chat('openai/gpt-4.1');
    const asked = provider.requests.length;
    await ask(chat('openai/gpt-4.1'), kept);
    await ask({ ...other, messages: [{ role: 'user', content: `${prompt}!` }] }, kept);
    await ask({ ...other, messages: [{ role: 'user', content: `${prompt}?` }] }, kept);
    await ask({ ...other, messages: [{ role: 'user', content: `${prompt}!` }] }, kept);
    expect(provider.requests.length - asked).toBe(3);
  });
});

describe('a long prompt of another client protocol', () => {
  const quoted = `He said "no".\n\tC:\\temp 水門. `.repeat(500);
  const anthropicBody = (model: string, text = quoted) =>
    JSON.stringify({ messages: [{ role: 'user', content: [{ type: 'text', text }] }], max_tokens: 9, model });
  const geminiBody = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: quoted }] }] });

  async function post(path: string, body: string) {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const { status } = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body });
    return status;
  }

  it('is relayed byte for byte to a provider that serves it', async () => {
    provider.answerWith(anthropicAnswer);
    const body = anthropicBody('anthropic/claude-sonnet-4-5');
    expect(await post('/v1/messages', body)).toBe(200);
    expect(provider.requests.at(-1)?.body).toBe(
      body.replace('"anthropic/claude-sonnet-4-5"', '"claude-sonnet-4-5"          '),
    );
  });

  it.each([
    ['Messages', '/v1/messages', anthropicBody('openai/gpt-4.1')],
    ['Gemini', '/v1beta/models/openai/gpt-4.1:generateContent', geminiBody],
  ])('is sent completely as a chat: %s', async (_protocol, path, body) => {
    provider.answerWith(completion());
    expect(await post(path, body)).toBe(200);
    expect(JSON.stringify(last()?.messages)).toContain(JSON.stringify(quoted));
  });

  it.each([
    ['an unknown escape', '\\x'],
    ['a control character', '\u0001'],
  ])('is rejected with %s inside', async (_what, wrong) => {
    const asked = provider.requests.length;
    const body = anthropicBody('anthropic/claude-sonnet-4-5');
    const middle = body.indexOf('水', 10_000);
    expect(await post('/v1/messages', `${body.slice(0, middle)}${wrong}${body.slice(middle)}`)).toBe(400);
    expect(provider.requests.length).toBe(asked);
  });
});

describe('a budget', () => {
  /** Of gpt-4.1 at its dearest class of service, in nano-USD. */
  const PER_TOKEN = 3_500;
  /** A token may be a byte. */
  const most = BigInt(Buffer.byteLength(prompt) * PER_TOKEN);

  async function within(amountNano: bigint, body: Record<string, unknown>) {
    const { id, accountId } = key;
    const own: Budget = { id: `key:${id}`, subject: 'key', accountId, amountNano, period: 'TOTAL', timeZone: 'UTC' };
    const bounded = await startGateway({ openai: provider.url, key: { budgets: [own] } });
    bounded.limits.open(own);
    let reservedNano = 0n;
    provider.answerWith((request, response) => {
      reservedNano = bounded.limits.state(own)?.reservedNano ?? 0n;
      return completion()(request, response);
    });
    const { status, text } = await ask(body, {}, bounded);
    await bounded.close();
    return { status, code: JSON.parse(text).error?.code, reservedNano };
  }

  it('covers all of a long prompt', async () => {
    const body = chat('openai/gpt-4.1', { max_tokens: 1 });
    expect(await within(most, body)).toMatchObject({ status: 429, code: 'insufficient_quota' });
    const { status, reservedNano } = await within(most * 2n, body);
    expect(status).toBe(200);
    expect(reservedNano).toBeGreaterThan(most);
    // Escapes are counted as they were written, and there are some.
    expect(Number(reservedNano)).toBeLessThan(Number(most) * 1.1);
  });

  it('covers a large image like any other', async () => {
    const url = `data:image/png;base64,${'A'.repeat(400_000)}`;
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];
    const { reservedNano } = await within(most * 10n, { model: 'openai/gpt-4.1', max_tokens: 1, messages });
    expect(Number(reservedNano)).toBeGreaterThan(50_000 * PER_TOKEN);
    expect(Number(reservedNano)).toBeLessThan(51_000 * PER_TOKEN);
  });
});

const anthropicAnswer = completion({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 12, output_tokens: 5 },
});
