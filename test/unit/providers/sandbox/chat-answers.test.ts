import { assert, array, asyncProperty, constantFrom, integer, option, record, string } from 'fast-check';
import OpenAI from 'openai';
import type {
  ChatCompletion,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageToolCall,
  ChatCompletionTool,
} from 'openai/resources';
import { describe, expect, it } from 'vitest';
import { countTokens } from '../../../../src/providers/sandbox/text/tokens.ts';
import { ask, sandboxFetch, user } from './collect-answer.ts';
import { readEventData } from '../../../harness/read-events.ts';

const client = new OpenAI({
  apiKey: 'unused',
  baseURL: 'http://sandbox.invalid/v1',
  fetch: sandboxFetch,
  maxRetries: 0,
});
type Request = Partial<ChatCompletionCreateParamsNonStreaming>;

const complete = (request: Request): Promise<ChatCompletion> =>
  client.chat.completions.create({ model: 'chat', messages: [...user('Tell me about rivers in Peru')], ...request });
const text = async (request: Request): Promise<string> => (await complete(request)).choices[0]?.message.content ?? '';

const called = (call: ChatCompletionMessageToolCall): readonly string[] =>
  call.type === 'function'
    ? [call.id, call.function.name, call.function.arguments]
    : [call.id, call.custom.name, call.custom.input];
const namesCalled = async (request: Request) => {
  const { choices } = await complete(request);
  return (choices[0]?.message.tool_calls ?? []).map((call) => called(call)[1]);
};

const weather: ChatCompletionTool = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, unit: { enum: ['celsius', 'fahrenheit'] } },
      required: ['city', 'unit'],
      additionalProperties: false,
    },
  },
};
const clock: ChatCompletionTool = { type: 'function', function: { name: 'get_time' } };
const shell: ChatCompletionTool = { type: 'custom', custom: { name: 'shell' } };

describe('a text response', () => {
  it('states that it is not from an AI model, quotes the question, and counts its tokens', async () => {
    const { choices, usage, system_fingerprint: fingerprint } = await complete({});
    const content = choices[0]?.message.content ?? '';
    expect(content).toMatch(/no AI model|not an AI model/);
    expect(content).toContain('“Tell me about rivers in Peru”');
    expect(choices[0]?.finish_reason).toBe('stop');
    expect(fingerprint).toBe('sandbox');
    expect(usage?.completion_tokens).toBe(countTokens(content));
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + countTokens(content));
  });

  it('is the same for the same request, and differs by seed', async () => {
    expect(await text({ seed: 1 })).toBe(await text({ seed: 1 }));
    expect(await text({ seed: 1 })).not.toBe(await text({ seed: 2 }));
    expect(await text({ seed: 1, temperature: 2, logit_bias: { 5: 1 } })).toBe(await text({ seed: 1 }));
  });

  it('ends at max_completion_tokens with finish_reason length', async () => {
    const { choices, usage } = await complete({ max_completion_tokens: 7 });
    expect(choices[0]?.finish_reason).toBe('length');
    expect(usage?.completion_tokens).toBe(7);
    expect(await text({})).toMatch(new RegExp(`^${choices[0]?.message.content}`));
  });

  it('ends before the first stop sequence at any position', async () => {
    const whole = await text({});
    for (const [from, to] of [
      [10, 12],
      [33, 47],
      [1, 60],
    ] as const) {
      const stop = whole.slice(from, to);
      const { choices } = await complete({ stop: ['never said', stop] });
      expect(choices[0]?.message.content).toBe(whole.slice(0, whole.indexOf(stop)));
      expect(choices[0]).toMatchObject({ finish_reason: 'stop', stop_reason: stop });
    }
  });

  it('names the shorter of two stop sequences at one place, and none where it ends otherwise', async () => {
    const whole = await text({});
    const [shorter, longer] = [whole.slice(10, 14), whole.slice(10, 20)];
    expect((await complete({ stop: [longer, shorter] })).choices[0]).toMatchObject({ stop_reason: shorter });
    for (const request of [{}, { stop: ['never said'] }, { stop: [whole.slice(30)], max_tokens: 3 }])
      expect((await complete(request)).choices[0]).not.toHaveProperty('stop_reason');
  });

  it.each([
    ['Describe the sea in 200 words', (answer: string) => answer.match(/\S+/g)?.length, 200],
    ['Describe the sea in 3 paragraphs', (answer: string) => answer.split('\n\n').length, 3],
    ['Describe the sea in 500 tokens', countTokens, 500],
    ['Describe the sea in 999999 words', countTokens, 8_192],
  ])('has the requested length: %s', async (question, measure, expected) => {
    expect(measure(await text({ messages: [...user(question)] }))).toBe(expected);
  });

  it('has n different choices', async () => {
    const { choices } = await complete({ n: 4 });
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(new Set(choices.map(({ message }) => message.content)).size).toBe(4);
  });

  it('stays small with 128 long choices', async () => {
    const { usage } = await complete({
      n: 128,
      messages: [...user('in 9000 words')],
      logprobs: true,
      top_logprobs: 20,
    });
    expect(usage?.completion_tokens).toBeLessThanOrEqual(8_192);
  });

  it('names attachments without reading them', async () => {
    const content = [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${'A'.repeat(100_000)}` } },
    ];
    const { choices, usage } = await complete({ messages: [{ role: 'user', content }] });
    expect(choices[0]?.message.content).toContain('1 image');
    expect(usage?.prompt_tokens).toBeLessThan(200);
  });

  it('has reasoning tokens by effort, within the maximum', async () => {
    const spent = async (request: Request) =>
      (await complete(request)).usage?.completion_tokens_details?.reasoning_tokens;
    expect(await spent({ reasoning_effort: 'none' })).toBe(0);
    expect(await spent({ reasoning_effort: 'minimal' })).toBe(0);
    expect(await spent({ reasoning_effort: 'low' })).toBe(32);
    const { choices, usage } = await complete({ reasoning_effort: 'high', max_completion_tokens: 100 });
    expect(usage?.completion_tokens).toBe(100);
    expect(usage?.completion_tokens_details?.reasoning_tokens).toBe(100);
    expect(choices[0]).toMatchObject({ finish_reason: 'length', message: { content: '' } });
  });

  it('has log probabilities whose bytes are the text', async () => {
    const { choices } = await complete({ messages: [...user('Grüße 😀 aus 東京')], logprobs: true, top_logprobs: 3 });
    const items = choices[0]?.logprobs?.content ?? [];
    expect(Buffer.from(items.flatMap(({ bytes }) => bytes ?? [])).toString()).toBe(choices[0]?.message.content);
    for (const { token, logprob, top_logprobs: top } of items) {
      expect(top).toHaveLength(3);
      expect(top[0]).toMatchObject({ token, logprob });
      expect(new Set(top.map((other) => other.token)).size).toBe(3);
      expect(top.map((other) => other.logprob)).toEqual(top.map((other) => other.logprob).sort((a, b) => b - a));
    }
  });
});

describe('structured output', () => {
  it('satisfies the schema', async () => {
    const schema = {
      type: 'object',
      properties: {
        rivers: { type: 'array', items: { type: 'string' }, minItems: 3, maxItems: 3 },
        length: { type: 'integer', minimum: 7 },
      },
      required: ['rivers', 'length'],
    };
    const content = await text({ response_format: { type: 'json_schema', json_schema: { name: 'rivers', schema } } });
    expect(JSON.parse(content)).toEqual({
      rivers: [expect.any(String), expect.any(String), expect.any(String)],
      length: expect.any(Number),
    });
  });

  it('is an object that quotes the question if any JSON is allowed', async () => {
    const content = await text({ response_format: { type: 'json_object' } });
    expect(JSON.parse(content)).toMatchObject({ question: 'Tell me about rivers in Peru' });
  });

  it('ends by length if the schema requires more than a response may contain', async () => {
    const schema = { type: 'array', items: { type: 'string' }, minItems: 1e9 };
    const { choices, usage } = await complete({
      response_format: { type: 'json_schema', json_schema: { name: 'endless', schema } },
    });
    expect(choices[0]?.finish_reason).toBe('length');
    expect(usage?.completion_tokens).toBeLessThanOrEqual(8_192);
  });
});

describe('tools', () => {
  const asking = user('What is the weather in Lima in fahrenheit?');
  it('are called with arguments from the question if it names them', async () => {
    const { choices } = await complete({ messages: [...asking], tools: [clock, weather] });
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: null,
        tool_calls: [
          {
            id: expect.stringMatching(/^call_/),
            type: 'function',
            function: { name: 'get_weather', arguments: '{"city":"Lima","unit":"fahrenheit"}' },
          },
        ],
      },
    });
  });

  it('are not called if the question does not name them, or none are allowed', async () => {
    expect(await namesCalled({ tools: [weather] })).toEqual([]);
    expect(await namesCalled({ messages: [...asking], tools: [weather], tool_choice: 'none' })).toEqual([]);
  });

  it('are called as tool_choice requires', async () => {
    expect(await namesCalled({ tools: [clock, weather], tool_choice: 'required' })).toEqual(['get_time']);
    expect(
      await namesCalled({
        tools: [clock, weather],
        tool_choice: { type: 'function', function: { name: 'get_weather' } },
      }),
    ).toEqual(['get_weather']);
    expect(
      await namesCalled({ tools: [weather, shell], tool_choice: { type: 'custom', custom: { name: 'shell' } } }),
    ).toEqual(['shell']);
    const only = { mode: 'required' as const, tools: [{ type: 'function', function: { name: 'get_weather' } }] };
    expect(
      await namesCalled({ tools: [clock, weather], tool_choice: { type: 'allowed_tools', allowed_tools: only } }),
    ).toEqual(['get_weather']);
  });

  it('are called in parallel unless parallel calls are disabled', async () => {
    const messages = [...user('Use get_time and get_weather')];
    expect(await namesCalled({ messages, tools: [clock, weather] })).toEqual(['get_time', 'get_weather']);
    expect(await namesCalled({ messages, tools: [clock, weather], parallel_tool_calls: false })).toEqual(['get_time']);
  });

  it('with results are quoted in a text', async () => {
    const first = await complete({ messages: [...asking], tools: [weather] });
    const call = first.choices[0]?.message.tool_calls?.[0];
    if (!first.choices[0] || !call) throw new Error('no tool was called');
    const result = { role: 'tool' as const, tool_call_id: call.id, content: '{"degrees":61}' };
    const { choices } = await complete({ messages: [...asking, first.choices[0].message, result], tools: [weather] });
    expect(choices[0]?.message.content).toContain('The tool get_weather returned: “{"degrees":61}”.');
    expect(choices[0]?.finish_reason).toBe('stop');
  });

  it('with a regular grammar get an input that matches it', async () => {
    const grammar = { syntax: 'regex' as const, definition: '^ls( -[alh]){1,2}$' };
    const tool: ChatCompletionTool = {
      type: 'custom',
      custom: { name: 'shell', format: { type: 'grammar', grammar } },
    };
    const { choices } = await complete({ tools: [tool], tool_choice: 'required' });
    const call = choices[0]?.message.tool_calls?.[0];
    expect(call?.type === 'custom' && call.custom.input).toMatch(/^ls( -[alh]){1,2}$/);
  });

  it('declared as functions are called as functions', async () => {
    const { choices } = await complete({
      messages: [...asking],
      functions: [{ name: 'get_weather', parameters: { type: 'object' } }],
    });
    expect(choices[0]).toMatchObject({
      finish_reason: 'function_call',
      message: { function_call: { name: 'get_weather', arguments: '{}' } },
    });
  });

  it('with arguments above max tokens end by length', async () => {
    const { choices, usage } = await complete({ messages: [...asking], tools: [weather], max_tokens: 2 });
    expect(choices[0]?.finish_reason).toBe('length');
    expect(usage?.completion_tokens).toBe(2);
  });
});

describe('an error states its reason', () => {
  it.each([
    [400, 'unsupported_value', 'modalities', { modalities: ['text', 'audio'] }],
    [404, 'model_not_found', null, { model: 'other' }],
    [
      400,
      'invalid_value',
      'tool_choice',
      { tools: [weather], tool_choice: { type: 'function', function: { name: 'x' } } },
    ],
    [400, 'context_length_exceeded', 'messages', { messages: user('word '.repeat(200_000)) }],
    [
      400,
      'unsupported_value',
      'tools',
      {
        tools: [
          {
            type: 'custom',
            custom: { name: 'x', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } } },
          },
        ],
      },
    ],
  ])('%i %s', async (status, code, param, request) => {
    const refused = ask({ messages: user('hi'), stream: true, ...request });
    await expect(refused).rejects.toMatchObject({ status, code, param, message: expect.any(String) });
  });
});

describe('a stream', () => {
  it('equals OpenAI’s format to the byte', async () => {
    const { status, contentType, body } = await ask({ messages: user('Hi'), stream: true, max_tokens: 2, n: 2 });
    expect(status).toBe(200);
    expect(contentType).toBe('text/event-stream; charset=utf-8');
    const events = body.split('\n\n');
    expect(events.splice(-2)).toEqual(['data: [DONE]', '']);
    for (const event of events) expect(event).toMatch(/^data: \{[^\n]*\}$/);
    const chunks = events.map((event) => JSON.parse(event.slice('data: '.length)));
    const head = {
      id: chunks[0].id,
      object: 'chat.completion.chunk',
      created: chunks[0].created,
      model: 'chat',
      service_tier: 'default',
      system_fingerprint: 'sandbox',
    };
    const chunk = (index: number, delta: object, finish: string | null = null) => ({
      ...head,
      choices: [{ index, delta, logprobs: null, finish_reason: finish }],
      usage: null,
    });
    expect(chunks).toEqual([
      chunk(0, { role: 'assistant', content: '', refusal: null }),
      chunk(1, { role: 'assistant', content: '', refusal: null }),
      chunk(0, { content: expect.any(String) }),
      chunk(1, { content: expect.any(String) }),
      chunk(0, { content: expect.any(String) }),
      chunk(1, { content: expect.any(String) }),
      chunk(0, {}, 'length'),
      chunk(1, {}, 'length'),
      { ...head, choices: [], usage: expect.objectContaining({ completion_tokens: 4 }) },
    ]);
  });

  it('of a tool call has its name first, then its arguments in deltas', async () => {
    const { body } = await ask({ messages: user('Use get_weather'), tools: [weather], stream: true });
    const deltas = readEventData(body)
      .slice(0, -1)
      .map((chunk) => chunk.choices[0].delta);
    expect(deltas.slice(0, 3)).toEqual([
      { role: 'assistant', content: null, refusal: null },
      {
        tool_calls: [
          { index: 0, id: expect.any(String), type: 'function', function: { name: 'get_weather', arguments: '' } },
        ],
      },
      { tool_calls: [{ index: 0, function: { arguments: expect.any(String) } }] },
    ]);
  });

  it('adds up to the unstreamed response for any request', async () => {
    const requests = record({
      messages: array(
        record({ role: constantFrom('user', 'system', 'assistant'), content: string({ unit: 'grapheme' }) }),
        { minLength: 1, maxLength: 3 },
      ),
      seed: option(integer(), { nil: undefined }),
      n: option(integer({ min: 1, max: 3 }), { nil: undefined }),
      max_tokens: option(integer({ min: 1, max: 40 }), { nil: undefined }),
      stop: option(constantFrom(' sandbox', 'e', 'd: ', '“'), { nil: undefined }),
      tooling: constantFrom(
        {},
        { tools: [weather], tool_choice: 'auto' },
        { tools: [weather, clock], tool_choice: 'required' },
      ),
      logprobs: option(constantFrom(true), { nil: undefined }),
    });
    await assert(
      asyncProperty(requests, async ({ tooling, ...given }) => {
        const request = { model: 'chat', ...given, ...tooling } as ChatCompletionCreateParamsNonStreaming;
        const whole = await client.chat.completions.create(request);
        const streamed = await client.chat.completions.stream({ ...request, stream: true }).finalChatCompletion();
        expect(streamed.usage).toEqual(whole.usage);
        for (const [index, choice] of whole.choices.entries()) {
          const other = streamed.choices[index];
          expect(other?.finish_reason).toBe(choice.finish_reason);
          expect(other?.message.content ?? null).toBe(choice.message.content);
          expect(other?.logprobs?.content ?? []).toEqual(choice.logprobs?.content ?? []);
          expect(other?.message.tool_calls?.map(called)).toEqual(choice.message.tool_calls?.map(called));
        }
      }),
      { numRuns: 150 },
    );
  });
});
