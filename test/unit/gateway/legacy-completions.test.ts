import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  chunk,
  completion,
  json,
  pieces,
  refusal,
  startFakeProvider,
  stream,
  type FakeProvider,
} from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';
import { expectOpenAi } from '../../harness/openai-schema.ts';
import { readEventData } from '../../harness/read-events.ts';
import { messageOf } from '../providers/anthropic/ask.ts';

let upstream: FakeProvider;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startFakeProvider();
  const limits = { requestsPerMinute: Infinity, tokensPerMinute: Infinity, requestsPerDay: Infinity, concurrency: 100 };
  gateway = await startGateway({
    openai: upstream.url,
    providers: {
      ollama: upstream.url,
      anthropic: { baseUrl: upstream.url },
      own: { baseUrl: upstream.url, options: { completions: 'native' } },
    },
    key: { limits },
  });
});

afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

function post(body: object): Promise<Response> {
  return fetch(`${gateway.url}/v1/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const client = (): OpenAI => new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });

/** A completion as a server sends it. */
const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };
const head = { id: 'cmpl-1', object: 'text_completion', created: 1_795_000_000, model: 'served' };
const document = {
  ...head,
  choices: [{ text: ' there was', index: 0, logprobs: null, finish_reason: 'length' }],
  usage,
};
const events = (withUsage: boolean): string[] => [
  `data: ${JSON.stringify({ ...head, choices: [{ text: '', index: 0, logprobs: null, finish_reason: null }] })}\n\n`,
  `data: ${JSON.stringify({ ...head, choices: [{ text: ' there', index: 0, logprobs: null, finish_reason: null }] })}\n\n`,
  `data: ${JSON.stringify({ ...head, choices: [{ text: ' was', index: 0, logprobs: null, finish_reason: 'length' }] })}\n\n`,
  ...(withUsage ? [`data: ${JSON.stringify({ ...head, choices: [], usage })}\n\n`] : []),
  'data: [DONE]\n\n',
];

describe('a completion of a provider that serves completions', () => {
  it.each(['ollama/m', 'own/m', 'openai/gpt-3.5-turbo-instruct'])('is relayed byte for byte: %s', async (model) => {
    upstream.answerWith(json(200, document));
    const before = upstream.requests.length;
    const request = { prompt: ['Once', 'Twice'], suffix: 'end', best_of: 3, n: 2, echo: true, new_member: { b: 1 } };
    const response = await post({ model, ...request });
    expect(await response.text()).toBe(JSON.stringify(document));
    expect(upstream.requests[before]?.path).toBe('/v1/completions');
    expect(upstream.requests[before]?.json).toEqual({ model: model.split('/')[1], ...request });
    const record = gateway.settled().at(-1);
    expect(record).toMatchObject({
      protocol: 'completions',
      capability: 'chat',
      input_tokens: 12,
      output_tokens: 5,
      estimated: false,
      finish_reason: 'length',
    });
  });

  it('is streamed with the usage that its client requested', async () => {
    upstream.answerWith(pieces(events(true), 'end'));
    const before = upstream.requests.length;
    const streamed = await client().completions.create({
      model: 'ollama/m',
      prompt: 'Once',
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let last: OpenAI.Completion | null = null;
    for await (const part of streamed) {
      text += part.choices[0]?.text ?? '';
      last = part;
    }
    expect(text).toBe(' there was');
    expect(last?.usage).toMatchObject(usage);
    expect(upstream.requests[before]?.json.stream_options).toEqual({ include_usage: true });
  });

  it('is streamed without usage that its client did not request, and billed by it', async () => {
    upstream.answerWith(pieces(events(true), 'end'));
    const before = gateway.settled().length;
    const asked = upstream.requests.length;
    const response = await post({ model: 'ollama/m', prompt: 'Once', stream: true });
    expect(await response.text()).toBe(events(false).join(''));
    expect(upstream.requests[asked]?.json.stream_options).toEqual({ include_usage: true });
    const settled = await gateway.settledCount(before + 1);
    expect(settled.at(-1)).toMatchObject({ input_tokens: 12, output_tokens: 5, estimated: false, streamed: true });
  });

  it('falls through to an error of the provider with its status', async () => {
    upstream.answerWith(refusal(429, 'Slow down.'));
    const response = await post({ model: 'ollama/m', prompt: 'Once', stream: true });
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('Slow down.') } });
  });

  it('ends with an error where the stream breaks off', async () => {
    upstream.answerWith(pieces(events(true).slice(0, 2), 'cut'));
    const response = await post({ model: 'ollama/m', prompt: 'Once', stream: true });
    const data = readEventData(await response.text());
    expect(data.map((event) => Object.keys(event)[0])).toEqual(['id', 'id', 'error']);
  });
});

describe('a completion of a provider of chats', () => {
  it('is the message of a chat', async () => {
    upstream.answerWith(completion());
    const before = upstream.requests.length;
    const answer = await client().completions.create({
      model: 'openai/gpt-5',
      prompt: 'Once upon a time',
      stop: 'END',
      temperature: 0.5,
      user: 'u-1',
      seed: 4,
    });
    expectOpenAi('CreateCompletionResponse', answer);
    expect(answer).toMatchObject({
      id: expect.stringMatching(/^cmpl-[0-9a-f]{32}$/),
      object: 'text_completion',
      choices: [{ text: 'Hello from the provider', index: 0, finish_reason: 'stop', logprobs: null }],
      usage: { prompt_tokens: 12, completion_tokens: 5 },
    });
    expect(upstream.requests[before]?.path).toBe('/v1/chat/completions');
    expect(upstream.requests[before]?.json).toEqual({
      model: 'gpt-5',
      messages: [{ role: 'user', content: 'Once upon a time' }],
      max_completion_tokens: 16,
      stop: 'END',
      temperature: 0.5,
      user: 'u-1',
      seed: 4,
    });
  });

  it.each([true, false])('is streamed, with usage: %s', async (wantsUsage) => {
    upstream.answerWith(stream(['Hel', 'lo']));
    const options = wantsUsage ? { stream_options: { include_usage: true } } : {};
    const response = await post({ model: 'openai/gpt-5', prompt: ['Once'], max_tokens: 7, stream: true, ...options });
    const text = await response.text();
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    const chunks: OpenAI.Completion[] = readEventData(text);
    for (const each of chunks)
      expectOpenAi('CreateCompletionResponse', {
        ...each,
        // OpenAI sends null before the end, which its document does not say.
        choices: each.choices.map((choice) => ({ ...choice, finish_reason: choice.finish_reason ?? 'stop' })),
        usage: each.usage ?? undefined,
      });
    expect(chunks.map(({ choices }) => choices[0]?.text ?? null)).toEqual([
      'Hel',
      'lo',
      '',
      ...(wantsUsage ? [null] : []),
    ]);
    expect(chunks.at(wantsUsage ? -2 : -1)?.choices[0]?.finish_reason).toBe('stop');
    if (wantsUsage) expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 12, completion_tokens: 5 });
    else expect(text).not.toContain('usage');
  });

  it('begins each choice with the prompt where `echo` requests it', async () => {
    const choice = (index: number): object => ({
      index,
      message: { role: 'assistant', content: ` ${index}`, refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    });
    upstream.answerWith(completion({ choices: [choice(0), choice(1)] }));
    const answer = await client().completions.create({ model: 'openai/gpt-5', prompt: 'Once', echo: true, n: 2 });
    expect(answer.choices.map(({ text }) => text)).toEqual(['Once 0', 'Once 1']);
    upstream.answerWith(stream([' there']));
    const response = await post({ model: 'openai/gpt-5', prompt: 'Once', echo: true, stream: true });
    const texts = readEventData(await response.text()).map(({ choices }) => choices[0]?.text);
    expect(texts).toEqual(['Once', ' there', '']);
  });

  it('has log probabilities in the legacy form', async () => {
    const logprob = (token: string, value: number): object => ({
      token,
      logprob: value,
      bytes: null,
      top_logprobs: [{ token, logprob: value, bytes: null }],
    });
    const logprobs = { content: [logprob('Hel', -0.1), logprob('lo', -0.2)], refusal: null };
    const message = { role: 'assistant', content: 'Hello', refusal: null };
    upstream.answerWith(completion({ choices: [{ index: 0, message, logprobs, finish_reason: 'stop' }] }));
    const before = upstream.requests.length;
    const answer = await client().completions.create({ model: 'openai/gpt-5', prompt: 'Once', logprobs: 1 });
    expectOpenAi('CreateCompletionResponse', answer);
    expect(upstream.requests[before]?.json).toMatchObject({ logprobs: true, top_logprobs: 1 });
    const legacy = {
      tokens: ['Hel', 'lo'],
      token_logprobs: [-0.1, -0.2],
      top_logprobs: [{ Hel: -0.1 }, { lo: -0.2 }],
      text_offset: [0, 3],
    };
    expect(answer.choices[0]?.logprobs).toEqual(legacy);
    const part = (text: string, content: object[]): string =>
      chunk({ content: text }, null).replace(
        '"logprobs":null',
        `"logprobs":${JSON.stringify({ content, refusal: null })}`,
      );
    upstream.answerWith(
      pieces(
        [part('Hel', [logprob('Hel', -0.1)]), part('lo', [logprob('lo', -0.2)]), chunk({}, 'stop'), 'data: [DONE]\n\n'],
        'end',
      ),
    );
    const response = await post({ model: 'openai/gpt-5', prompt: 'Once', logprobs: 1, stream: true });
    const offsets = readEventData(await response.text()).map(({ choices }) => choices[0]?.logprobs?.text_offset);
    expect(offsets).toEqual([[0], [3], undefined]);
  });

  it('is converted for providers of other protocols too', async () => {
    upstream.answerWith(json(200, messageOf([{ type: 'text', text: 'Hi' }])));
    const answer = await client().completions.create({
      model: 'anthropic/claude-haiku-4-5',
      prompt: 'Once',
      max_tokens: 9,
    });
    expect(answer.choices[0]?.text).toBe('Hi');
  });

  it('comes from the sandbox', async () => {
    const answer = await client().completions.create({ model: 'sandbox/chat', prompt: 'Once', max_tokens: 5 });
    expectOpenAi('CreateCompletionResponse', answer);
    expect(answer.choices[0]?.text.length).toBeGreaterThan(0);
  });

  it.each([
    ['tokens', { prompt: [1, 2] }, 'prompt'],
    ['lists of tokens', { prompt: [[1], [2]] }, 'prompt'],
    ['a suffix', { suffix: 'end' }, 'suffix'],
    ['more candidates than choices', { best_of: 2 }, 'best_of'],
    ['no output', { max_tokens: 0 }, 'max_tokens'],
    ['log probabilities of the prompt', { echo: true, logprobs: 1 }, 'logprobs'],
  ])('is refused by name with %s', async (_what, members, param) => {
    const before = upstream.requests.length;
    const response = await post({ model: 'openai/gpt-5', prompt: 'Once', ...members });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param, code: 'unsupported_value' } });
    expect(upstream.requests.length).toBe(before);
  });
});

it.each([
  ['no prompt', {}, 'prompt'],
  ['an empty prompt', { prompt: '' }, 'prompt'],
  ['texts and tokens', { prompt: ['x', 1] }, 'prompt'],
  ['a prompt that is an object', { prompt: {} }, 'prompt'],
  ['fewer candidates than choices', { prompt: 'x', n: 3, best_of: 2 }, 'best_of'],
  ['a stream of the best candidate', { prompt: 'x', best_of: 2, stream: true }, 'best_of'],
  ['too many alternatives', { prompt: 'x', logprobs: 6 }, 'logprobs'],
])('a completion with %s is refused before its provider is asked', async (_what, members, param) => {
  const before = upstream.requests.length;
  const response = await post({ model: 'ollama/m', ...members });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { param } });
  expect(upstream.requests.length).toBe(before);
});
