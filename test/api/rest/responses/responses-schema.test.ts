import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { chunk, pieces, refusal, startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import { expectOpenAi, includeValues } from '../../../harness/openai-schema.ts';
import { newAccount, type TestAccount } from '../../../harness/shared-server.ts';
import { readEvents } from '../../../harness/read-events.ts';

const model = 'sandbox/chat';
const weather = {
  type: 'function',
  name: 'weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
};
const picture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const requests: Readonly<Record<string, object>> = {
  'a text': { input: 'Say hello.' },
  'a text with every setting': {
    input: 'Say hello.',
    instructions: 'Be brief.',
    metadata: { team: 'a' },
    max_output_tokens: 200,
    temperature: 0.5,
    top_p: 0.9,
    user: 'u',
    safety_identifier: 's'.repeat(128),
    service_tier: 'flex',
    truncation: 'disabled',
    prompt_cache_key: 'k',
    text: { format: { type: 'text' }, verbosity: 'low' },
    max_tool_calls: 3,
    parallel_tool_calls: false,
  },
  'settings that are null': {
    input: [{ role: 'user', content: 'Say hello.' }],
    ...Object.fromEntries(
      ['instructions', 'metadata', 'user', 'safety_identifier', 'service_tier', 'text', 'reasoning', 'tools'].map(
        (name) => [name, null],
      ),
    ),
  },
  'log probabilities': { input: 'Say hello.', include: ['message.output_text.logprobs'], top_logprobs: 2 },
  reasoning: {
    input: 'Say hello.',
    reasoning: { effort: 'high', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
  },
  'a call of a function': { input: 'Weather in Rome?', tools: [weather], tool_choice: 'required' },
  'a chosen function': {
    input: 'Weather in Rome?',
    tools: [{ ...weather, description: null, strict: null }],
    tool_choice: { type: 'function', name: 'weather' },
  },
  'a custom tool': {
    input: 'List files.',
    tools: [{ type: 'custom', name: 'shell', description: null, format: null }],
    tool_choice: { type: 'custom', name: 'shell' },
  },
  'a search': {
    input: 'Say hello.',
    tools: [
      { type: 'web_search', search_context_size: null, user_location: { country: 'IT', city: null } },
      { type: 'web_search_preview', user_location: { country: 'IT' } },
    ],
  },
  'allowed tools': {
    input: 'Weather in Rome?',
    tools: [weather],
    tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'weather' }] },
  },
  'a structured output': {
    input: 'A city.',
    text: {
      format: {
        type: 'json_schema',
        name: 'city',
        description: null,
        schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      },
    },
  },
  'an object': { input: 'A city as JSON.', text: { format: { type: 'json_object' } } },
  'an end at the most tokens': { input: 'Tell me a story of 500 words.', max_output_tokens: 16 },
  'a conversation with pictures, files and calls': {
    input: [
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is this?' },
          { type: 'input_image', image_url: picture },
        ],
      },
      { role: 'assistant', content: 'A point.' },
      { type: 'reasoning', summary: [] },
      { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'sunny' }] },
      { type: 'custom_tool_call', call_id: 'call_2', name: 'shell', input: 'ls' },
      { type: 'custom_tool_call_output', call_id: 'call_2', output: 'a.txt' },
      { role: 'assistant', content: [{ type: 'output_text', text: 'Fine.' }] },
      { role: 'user', content: 'And?' },
    ],
    tools: [weather, { type: 'custom', name: 'shell' }],
  },
};

let account: TestAccount;

beforeAll(async () => {
  account = await newAccount();
});

afterAll(() => account.dispose());

function ask(path: string, method = 'GET', body?: object, { url, apiKey } = account): Promise<Response> {
  return fetch(`${url}/v1/responses${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

const responseForm = z.looseObject({ id: z.string(), status: z.string() });
type Answer = z.infer<typeof responseForm>;

async function read(asking: Promise<Response>): Promise<Answer> {
  const answer = await asking;
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  const value: unknown = JSON.parse(text);
  expectOpenAi('Response', value);
  return responseForm.parse(value);
}

const eventForm = z.looseObject({ type: z.string(), response: responseForm.optional() });

/** The events of a stream, validated against the reference. */
async function events(asking: Promise<Response>): Promise<z.infer<typeof eventForm>[]> {
  const text = await (await asking).text();
  return readEvents(text).map(({ data }) => {
    const value: unknown = JSON.parse(data);
    expectOpenAi('ResponseStreamEvent', value);
    return eventForm.parse(value);
  });
}

describe('every response matches the reference', () => {
  it.each(Object.entries(requests))('%s', async (_name, request) => {
    const made = await read(ask('', 'POST', { model, ...request }));
    expect(await read(ask(`/${made.id}`))).toEqual(made);
    const items: unknown = await (await ask(`/${made.id}/input_items`)).json();
    expectOpenAi('ResponseItemList', items);
    const told = await events(ask('', 'POST', { model, ...request, stream: true }));
    const last = told.at(-1);
    expect([last?.type, last?.response?.status]).toEqual([`response.${made.status}`, made.status]);
    expectOpenAi('Response', last?.response);
    await read(ask(`/${last?.response?.id}`));
  });

  it('an empty page of items, and what is deleted', async () => {
    const first = await read(ask('', 'POST', { model, input: 'Say hello.' }));
    const next = await read(ask('', 'POST', { model, input: [], previous_response_id: first.id }));
    expectOpenAi('ResponseItemList', await (await ask(`/${next.id}/input_items`)).json());
    expect(await (await ask(`/${next.id}`, 'DELETE')).json()).toEqual({
      id: next.id,
      object: 'response',
      deleted: true,
    });
  });

  it('one in the background, followed, read again and cancelled', async () => {
    const told = await events(ask('', 'POST', { model, input: 'Say hello.', background: true, stream: true }));
    expect(told.map(({ type }) => type)).toContain('response.queued');
    const done = told.at(-1)?.response;
    expect((await events(ask(`/${done?.id}?stream=true`))).at(-1)?.response).toEqual(done);
    const queued = await read(ask('', 'POST', { model, input: 'Tell me a story of 2000 words.', background: true }));
    await read(ask(`/${queued.id}/cancel`, 'POST'));
  });
});

it('refuses an unknown value of include with the supported ones', async () => {
  const answer = await ask('', 'POST', { model, input: 'Say hello.', include: ['reasoning.all'] });
  expect(answer.status).toBe(400);
  const { error } = z
    .object({ error: z.object({ message: z.string(), param: z.string(), code: z.string() }) })
    .parse(await answer.json());
  expect(error).toMatchObject({ param: 'include[0]', code: 'invalid_value' });
  for (const value of includeValues) expect(error.message).toContain(value);
  await read(ask('', 'POST', { model, input: 'Say hello.', include: includeValues }));
});

describe('responses of providers are converted to the format of the reference', () => {
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
  const bare = { token: 'é', logprob: -1, bytes: null, top_logprobs: [{ token: 'e', logprob: -2, bytes: null }] };
  const citation = { type: 'url_citation', url_citation: { url: 'https://a.example', start_index: null } };
  const logged = JSON.stringify({ content: [bare] });
  let provider: FakeProvider;
  let customer: TestAccount;

  beforeAll(async () => {
    provider = await startFakeProvider();
    customer = await newAccount({ OPENAI_API_KEY: 'sk-of-the-operator', OPENAI_BASE_URL: provider.url });
  });

  afterAll(async () => {
    await customer?.dispose();
    await provider?.close();
  });

  const post = (more: object): Promise<Response> =>
    ask('', 'POST', { model: 'openai/gpt-4o', input: 'Say hello.', ...more }, customer);
  const get = (id: string | undefined): Promise<Response> => ask(`/${id}`, 'GET', undefined, customer);
  const told = [
    chunk({ role: 'assistant', reasoning_content: 'hm' }),
    chunk({ content: 'é' }).replace('"logprobs":null', `"logprobs":${logged}`),
    chunk({ annotations: [citation] }),
    chunk({ images: [picture] }),
  ];

  it.each([
    ['a stop', 'stop', 'completed'],
    ['a filter', 'content_filter', 'incomplete'],
    ['the most tokens', 'length', 'incomplete'],
  ])('up to %s', async (_name, reason, status) => {
    const end = chunk({}, reason, { service_tier: 'on_demand' });
    provider.answerWith(pieces([...told, end, 'data: [DONE]\n\n'], 'end'));
    const last = (await events(post({ stream: true }))).at(-1);
    expect([last?.type, last?.response?.status]).toEqual([`response.${status}`, status]);
    await read(get(last?.response?.id));
  });

  it('a refusal', async () => {
    provider.answerWith(pieces([chunk({ refusal: 'No.' }), chunk({}, 'stop'), 'data: [DONE]\n\n'], 'end'));
    const types = (await events(post({ stream: true }))).map(({ type }) => type);
    expect(types).toContain('response.refusal.done');
  });

  it('a stream that breaks', async () => {
    provider.answerWith(pieces(told, 'cut'));
    const all = await events(post({ stream: true }));
    expect(all.slice(-2).map(({ type }) => type)).toEqual(['error', 'response.failed']);
    await read(get(all.at(-1)?.response?.id));
  });

  it.each([400, 429, 500])('status %i to one in the background', async (status) => {
    provider.answerWith(refusal(status, 'No.', { 'retry-after': '3600' }));
    const all = await events(post({ stream: true, background: true }));
    expect(all.at(-1)?.type).toBe('response.failed');
    expect((await read(get(all.at(-1)?.response?.id))).status).toBe('failed');
  });
});
