import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { startFakeProvider } from '../../../../harness/fake-provider.ts';
import { secret, startGateway } from '../../../../harness/gateway.ts';
import { translated } from '../../../protocols/responses/translated.ts';
import { replayDocument, readThroughSluice } from '../../replay.ts';
import { message, response } from './response.ts';

type Json = Record<string, unknown>;

const script = replayDocument(JSON.stringify(response([message('Hello')])));

/** What the provider receives of a request. */
async function sent(request: Json, model = 'gpt-5-pro', provider = 'openai'): Promise<Json> {
  const { received } = await readThroughSluice({
    provider,
    model,
    script,
    streamed: false,
    options: { api: 'responses' },
    request,
  });
  return received[0]?.json ?? {};
}

const input = async (messages: readonly Json[], more: Json = {}) => (await sent({ messages, ...more })).input;

const weather = {
  name: 'weather',
  description: 'Tells the weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
};

describe('a chat request as a response request', () => {
  it('says no more than it has to', async () => {
    expect(await sent({})).toEqual({
      model: 'gpt-5-pro',
      input: [{ type: 'message', role: 'user', content: 'Hello' }],
      store: false,
      include: ['reasoning.encrypted_content'],
    });
  });

  it('gives each role its items', async () => {
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    const pdf = 'data:application/pdf;base64,JVBERg==';
    expect(
      await input([
        { role: 'system', content: 'Be short.' },
        { role: 'developer', content: [{ type: 'text', text: 'In rhyme.' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?', prompt_cache_breakpoint: { mode: 'explicit' } },
            { type: 'image_url', image_url: { url, detail: 'high' } },
            { type: 'image_url', image_url: { url } },
            { type: 'file', file: { file_data: pdf, filename: 'a.pdf' } },
          ],
        },
        { role: 'assistant', content: 'A dot.' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'No,' },
            { type: 'refusal', refusal: 'sorry' },
          ],
        },
        { role: 'assistant', content: null, refusal: 'I cannot.' },
      ]),
    ).toEqual([
      { type: 'message', role: 'system', content: 'Be short.' },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'In rhyme.' }] },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is it?', prompt_cache_breakpoint: { mode: 'explicit' } },
          { type: 'input_image', image_url: url, detail: 'high' },
          { type: 'input_image', image_url: url, detail: 'auto' },
          { type: 'input_file', file_data: pdf, filename: 'a.pdf' },
        ],
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'A dot.' }] },
      {
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'No,' },
          { type: 'refusal', refusal: 'sorry' },
        ],
      },
      { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'I cannot.' }] },
    ]);
  });

  it('gives calls and their results the same ids, those of custom tools as such', async () => {
    expect(
      await input([
        { role: 'user', content: 'Go' },
        {
          role: 'assistant',
          content: 'Calling.',
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
            { id: 'call_2', type: 'custom', custom: { name: 'sql', input: 'SELECT 1' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
        { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: '1' }] },
      ]),
    ).toEqual([
      { type: 'message', role: 'user', content: 'Go' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Calling.' }] },
      { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Rome"}' },
      { type: 'custom_tool_call', call_id: 'call_2', name: 'sql', input: 'SELECT 1' },
      { type: 'function_call_output', call_id: 'call_1', output: 'sunny' },
      { type: 'custom_tool_call_output', call_id: 'call_2', output: [{ type: 'input_text', text: '1' }] },
    ]);
  });

  it('makes ids for calls of the older form', async () => {
    const items = await input(
      [
        { role: 'user', content: 'Go' },
        { role: 'assistant', content: null, function_call: { name: 'weather', arguments: '{}' } },
        { role: 'function', name: 'weather', content: 'sunny' },
      ],
      { functions: [weather], function_call: { name: 'weather' } },
    );
    const id = expect.stringMatching(/^call_\w+$/);
    expect(items).toEqual([
      { type: 'message', role: 'user', content: 'Go' },
      { type: 'function_call', call_id: id, name: 'weather', arguments: '{}' },
      { type: 'function_call_output', call_id: id, output: 'sunny' },
    ]);
    const [, call, result]: Json[] = Array.isArray(items) ? items : [];
    expect(call?.call_id).toBe(result?.call_id);
  });

  it('flattens tools, and keeps what chat means by a function that does not say whether it is strict', async () => {
    const body = await sent({
      tools: [
        { type: 'function', function: weather },
        { type: 'function', function: { name: 'now', strict: true } },
        {
          type: 'custom',
          custom: {
            name: 'sql',
            description: 'Runs',
            format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } },
          },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'weather' } },
      parallel_tool_calls: false,
      web_search_options: {
        search_context_size: 'low',
        user_location: { type: 'approximate', approximate: { country: 'FR' } },
      },
    });
    expect(body).toMatchObject({
      tools: [
        { type: 'function', ...weather, strict: false },
        { type: 'function', name: 'now', parameters: { type: 'object', properties: {} }, strict: true },
        {
          type: 'custom',
          name: 'sql',
          description: 'Runs',
          format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
        },
        {
          type: 'web_search',
          search_context_size: 'low',
          user_location: { type: 'approximate', country: 'FR' },
        },
      ],
      tool_choice: { type: 'function', name: 'weather' },
      parallel_tool_calls: false,
    });
    expect(body).not.toHaveProperty('web_search_options');
  });

  it.each([
    ['required', 'required'],
    [
      { type: 'custom', custom: { name: 'sql' } },
      { type: 'custom', name: 'sql' },
    ],
    [
      {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'required',
          tools: [{ type: 'function', function: { name: 'weather' } }, { type: 'image_generation' }],
        },
      },
      {
        type: 'allowed_tools',
        mode: 'required',
        tools: [{ type: 'function', name: 'weather' }, { type: 'image_generation' }],
      },
    ],
  ])('flattens the choice %j', async (choice, flat) => {
    const tools = [{ type: 'function', function: weather }];
    expect((await sent({ tools, tool_choice: choice })).tool_choice).toEqual(flat);
  });

  it('puts the form of the answer and its length into `text`', async () => {
    const schema = { type: 'object', properties: {} };
    const body = await sent({
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
      verbosity: 'low',
    });
    expect(body.text).toEqual({
      format: { type: 'json_schema', name: 'answer', schema, strict: true },
      verbosity: 'low',
    });
    expect((await sent({ response_format: { type: 'json_object' } })).text).toEqual({
      format: { type: 'json_object' },
    });
  });

  it('passes parameters of the same meaning, and those of the API itself', async () => {
    const same = {
      temperature: 0.5,
      top_p: 0.9,
      metadata: { a: 'b' },
      service_tier: 'flex',
      user: 'u',
      safety_identifier: 's',
      prompt_cache_key: 'k',
      prompt_cache_retention: '24h',
      truncation: 'auto',
      max_tool_calls: 3,
      max_output_tokens: 500,
    };
    const body = await sent({
      ...same,
      reasoning_effort: 'high',
      reasoning: { summary: 'auto' },
    });
    expect(body).toMatchObject({ ...same, reasoning: { summary: 'auto', effort: 'high' } });
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['reasoning_effort']));
  });

  it('asks for log probabilities where chat does', async () => {
    const body = await sent({ logprobs: true, top_logprobs: 3 }, 'gpt-4.1');
    expect(body).toMatchObject({ include: ['message.output_text.logprobs'], top_logprobs: 3 });
    expect(body).not.toHaveProperty('logprobs');
  });

  it('keeps what the caller says of keeping, and of what to include', async () => {
    expect(await sent({ store: true })).not.toHaveProperty('include');
    expect(await sent({ store: true })).toMatchObject({ store: true });
    expect((await sent({ include: [] })).include).toEqual([]);
    expect((await sent({ include: ['web_search_call.action.sources'] })).include).toEqual([
      'web_search_call.action.sources',
    ]);
  });

  it('does not ask models for encrypted reasoning that have none', async () => {
    for (const model of ['gpt-4o-mini', 'gpt-5-chat-latest', 'ft:gpt-4.1:acme::1'])
      expect(await sent({}, model)).not.toHaveProperty('include');
    expect(await sent({}, 'o4-mini')).toHaveProperty('include');
    expect(await sent({}, 'gpt-4o-look-alike', 'any-server')).toHaveProperty('include');
  });

  describe.each<[string, Json]>([
    ['n', { n: 2 }],
    ['seed', { seed: 7 }],
    ['stop', { stop: ['.'] }],
    ['logit_bias', { logit_bias: { '5': 1 } }],
    ['presence_penalty', { presence_penalty: 1 }],
    ['frequency_penalty', { frequency_penalty: 1 }],
    ['prediction', { prediction: { type: 'content', content: 'x' } }],
    ['audio', { audio: { voice: 'alloy', format: 'wav' } }],
    ['background', { background: true }],
    ['max_tokens', { max_tokens: 15 }],
    ['max_completion_tokens', { max_completion_tokens: 1, max_tokens: 100 }],
    ['messages[0].audio', { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] }],
  ])('with %s, which the API does not take so', (param, request) => {
    it('is refused where it must be whole', () => {
      expect(() => translated(request, 'strict')).toThrow(
        expect.objectContaining({ status: 400, type: 'invalid_request_error', param }),
      );
    });

    it('goes without it else, and says so', () => {
      const { body, dropped } = translated(request, 'drop');
      expect(dropped).toEqual([param]);
      expect(JSON.parse(body)).not.toHaveProperty(param);
    });
  });

  it('is refused with a part that no item can hold', async () => {
    const content = [{ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }];
    await expect(sent({ messages: [{ role: 'user', content }] })).rejects.toMatchObject({
      status: 400,
      code: 'unsupported_value',
      param: 'messages[0].content[0].type',
    });
  });

  it('takes the newer name of a limit before the older', () => {
    const { body } = translated({ max_completion_tokens: 300, max_tokens: 200, max_output_tokens: 100 }, 'strict');
    expect(JSON.parse(body)).toMatchObject({ max_output_tokens: 300 });
  });

  it('answers in text where sound may be dropped', () => {
    const sound = { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } };
    expect(translated(sound, 'drop').dropped).toEqual(['modalities', 'audio']);
  });

  it('raises a limit that is too low, where it may', () => {
    expect(JSON.parse(translated({ max_tokens: 15 }, 'drop').body)).toMatchObject({ max_output_tokens: 16 });
  });

  it('takes those that say nothing', async () => {
    const body = await sent({ n: 1, stop: null, presence_penalty: 0, logprobs: false, modalities: ['text'] });
    expect(Object.keys(body).sort()).toEqual(['include', 'input', 'model', 'store']);
  });

  it('leaves the least answer to other servers', async () => {
    expect(await sent({ max_tokens: 1 }, 'any-model', 'any-server')).toMatchObject({ max_output_tokens: 1 });
  });

  it('names to the caller what was left out without being refused', async () => {
    const provider = await startFakeProvider(script);
    const gateway = await startGateway({
      providers: { openai: { baseUrl: provider.url, options: { api: 'responses' } } },
    });
    try {
      const client = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
      const { response: answer } = await client.chat.completions
        .create({ model: 'openai/gpt-5-pro', messages: [{ role: 'user', name: 'ada', content: 'Hello' }] })
        .withResponse();
      expect(answer.headers.get('x-sluice-dropped-params')).toBe('messages.name');
    } finally {
      await gateway.close();
      await provider.close();
    }
  });
});
