import { describe, expect, it } from 'vitest';
import { translated } from './translated.ts';

const tool = (name: string, more = {}): unknown => ({ type: 'function', function: { name, ...more } });
const [older, adaptive, newest] = ['claude-sonnet-4-5', 'claude-opus-4-6', 'claude-opus-5-5'];
const schema = {
  type: 'object',
  properties: { n: { type: 'integer', minimum: 3, description: 'Number.' }, kind: { oneOf: [{ const: 'a' }] } },
  required: ['n'],
};
const jsonSchema = (more = {}): unknown => ({ type: 'json_schema', json_schema: { name: 'answer', schema, ...more } });

describe('a request', () => {
  it('has no members beyond the client’s, except for the limit that Anthropic requires', () => {
    expect(translated({}).sent).toEqual({
      model: older,
      max_tokens: 64_000,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    });
  });
});

describe('max_tokens', () => {
  it.each([
    ['claude-3-haiku-20240307', 4_096],
    ['claude-3-5-sonnet-20241022', 8_192],
    ['claude-3-7-sonnet-latest', 64_000],
    ['claude-opus-4-20250514', 32_000],
    ['claude-4-opus-20250514', 32_000],
    ['claude-opus-4-1-20250805', 32_000],
    ['claude-sonnet-4-20250514', 64_000],
    ['claude-haiku-4-5-20251001', 64_000],
    ['claude-opus-4-6', 128_000],
    ['claude-sonnet-5', 128_000],
    ['claude-tomorrow', 64_000],
    ['someone-elses-model', 8_192],
  ])('defaults to the model’s maximum: %s', (model, most) => {
    expect(translated({}, { model }).sent.max_tokens).toBe(most);
    expect(translated({ max_tokens: 9 }, { model }).sent.max_tokens).toBe(9);
    expect(translated({ max_tokens: 9, max_completion_tokens: 8 }, { model }).sent.max_tokens).toBe(8);
  });
});

describe('sampling', () => {
  it('is limited to Anthropic’s highest temperature, its default', () => {
    expect(translated({ temperature: 1.7 }).sent).not.toHaveProperty('temperature');
    expect(translated({ temperature: 0 }).sent.temperature).toBe(0);
    expect(translated({ temperature: 2 }, { parameters: 'strict', model: newest }).dropped).toEqual([]);
  });

  it.each([
    [older, { temperature: 0.5, top_p: 0.9 }, { temperature: 0.5 }, ['top_p']],
    ['claude-sonnet-4-20250514', { temperature: 0.5, top_p: 0.9 }, { temperature: 0.5, top_p: 0.9 }, []],
    [older, { temperature: 1, top_p: 0.9 }, { top_p: 0.9 }, []],
    [newest, { temperature: 0.5, top_p: 0.9, top_k: 3 }, {}, ['temperature', 'top_p', 'top_k']],
    [older, { reasoning_effort: 'low', temperature: 0.5, top_p: 0.96 }, { top_p: 0.96 }, ['temperature']],
    [adaptive, { reasoning_effort: 'low', top_p: 0.5, top_k: 3 }, {}, ['top_p', 'top_k']],
  ])('for %s keeps the supported members of %j', (model, given, taken, left) => {
    const { sent, dropped } = translated(given, { model });
    const { temperature, top_p: topP, top_k: topK } = sent;
    expect(JSON.parse(JSON.stringify({ temperature, top_p: topP, top_k: topK }))).toEqual(taken);
    expect(dropped).toEqual(left);
  });
});

describe('reasoning_effort', () => {
  it.each([
    [adaptive, 'minimal', { type: 'adaptive', display: 'summarized' }, { effort: 'low' }],
    [adaptive, 'xhigh', { type: 'adaptive', display: 'summarized' }, { effort: 'high' }],
    [newest, 'xhigh', { type: 'adaptive', display: 'summarized' }, { effort: 'xhigh' }],
    [newest, 'max', { type: 'adaptive', display: 'summarized' }, { effort: 'max' }],
    [older, 'low', { type: 'enabled', budget_tokens: 4_096 }, undefined],
    [older, 'high', { type: 'enabled', budget_tokens: 24_576 }, undefined],
    [older, 'none', { type: 'disabled' }, undefined],
    ['claude-sonnet-5', 'none', { type: 'disabled' }, undefined],
    ['claude-3-5-haiku-latest', 'none', undefined, undefined],
  ])('for model %s with value %s becomes the setting of its API', (model, effort, thinking, output) => {
    const { sent, dropped } = translated({ reasoning_effort: effort }, { model, parameters: 'strict' });
    expect(sent.thinking).toEqual(thinking);
    expect(sent.output_config).toEqual(output);
    expect(dropped).toEqual([]);
  });

  it('leaves room for the response within the client’s limit, which is not raised', () => {
    const { sent } = translated({ reasoning_effort: 'high', max_tokens: 2_000 });
    expect(sent).toMatchObject({ max_tokens: 2_000, thinking: { budget_tokens: 1_600 } });
    expect(translated({ reasoning_effort: 'high', max_tokens: 1_100 }).sent.thinking).toMatchObject({
      budget_tokens: 1_024,
    });
  });

  it.each([
    ['the model does not think', 'claude-3-5-haiku-latest', 'high', {}],
    ['the model cannot stop', newest, 'none', {}],
    ['there is no room for it', older, 'high', { max_tokens: 1_024 }],
    ['a tool is demanded', older, 'high', { tools: [tool('f')], tool_choice: 'required' }],
  ])('is dropped and reported, or rejected, where %s', (_why, model, effort, more) => {
    const request = { reasoning_effort: effort, ...more };
    const { sent, dropped } = translated(request, { model });
    expect(sent).not.toHaveProperty('thinking');
    expect(dropped).toEqual(['reasoning_effort']);
    expect(() => translated(request, { model, parameters: 'strict' })).toThrow(
      expect.objectContaining({ status: 400, param: 'reasoning_effort' }),
    );
  });

  it('does not override the client’s own thinking', () => {
    const thinking = { type: 'adaptive', display: 'omitted' };
    const { sent } = translated({ thinking, reasoning_effort: 'low' }, { model: adaptive });
    expect(sent).toMatchObject({ thinking, output_config: { effort: 'low' } });
    const budget = { type: 'enabled', budget_tokens: 5_000 };
    expect(translated({ thinking: budget, reasoning_effort: 'low' })).toMatchObject({
      sent: { thinking: budget },
      dropped: ['reasoning_effort'],
    });
  });
});

describe('tools', () => {
  it('are declared with their schema, by default an empty one', () => {
    const { sent } = translated({
      tools: [tool('a', { description: 'Does a.', parameters: { properties: { x: {} } } }), tool('b')],
      functions: [{ name: 'c', parameters: { type: 'object', properties: {} } }],
    });
    expect(sent.tools).toEqual([
      { name: 'a', description: 'Does a.', input_schema: { type: 'object', properties: { x: {} } } },
      { name: 'b', input_schema: { type: 'object', properties: {} } },
      { name: 'c', input_schema: { type: 'object', properties: {} } },
    ]);
    expect(sent).not.toHaveProperty('tool_choice');
  });

  it('are strict if the model supports it', () => {
    const strict = tool('a', { strict: true, parameters: schema });
    expect(translated({ tools: [strict] })).toMatchObject({
      dropped: [],
      sent: { tools: [{ strict: true, input_schema: { additionalProperties: false } }] },
    });
    expect(translated({ tools: [strict] }, { model: 'claude-sonnet-4-0' })).toMatchObject({
      dropped: ['tools[0].function.strict'],
      sent: { tools: [{ name: 'a', input_schema: schema }] },
    });
  });

  it.each([
    ['none', { type: 'none' }],
    ['auto', { type: 'auto' }],
    ['required', { type: 'any' }],
    [
      { type: 'function', function: { name: 'a' } },
      { type: 'tool', name: 'a' },
    ],
    [{ type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [tool('a')] } }, { type: 'any' }],
    [{ type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [tool('a')] } }, { type: 'auto' }],
  ])('are selected by %j', (choice, taken) => {
    const { sent } = translated({ tools: [tool('a'), tool('b')], tool_choice: choice });
    expect(sent.tool_choice).toEqual(taken);
    const names = typeof choice === 'object' && choice.type === 'allowed_tools' ? ['a'] : ['a', 'b'];
    expect(sent.tools).toMatchObject(names.map((name) => ({ name })));
  });

  it('are selected by the deprecated parameter', () => {
    const functions = [{ name: 'a' }];
    expect(translated({ functions, function_call: { name: 'a' } }).sent.tool_choice).toEqual({
      type: 'tool',
      name: 'a',
    });
    expect(translated({ functions, function_call: 'none' }).sent.tool_choice).toEqual({ type: 'none' });
  });

  it('are called one at a time without parallel_tool_calls', () => {
    const request = { tools: [tool('a')], parallel_tool_calls: false };
    const single = { disable_parallel_tool_use: true };
    expect(translated(request).sent.tool_choice).toEqual({ type: 'auto', ...single });
    expect(translated({ ...request, tool_choice: 'required' }).sent.tool_choice).toEqual({ type: 'any', ...single });
    expect(translated({ ...request, tool_choice: 'none' }).sent.tool_choice).toEqual({ type: 'none' });
    expect(translated({ parallel_tool_calls: false }).sent).not.toHaveProperty('tool_choice');
  });

  it('are not required for a model that rejects it', () => {
    const request = { tools: [tool('a')], tool_choice: 'required' };
    expect(translated(request, { model: newest })).toMatchObject({
      dropped: ['tool_choice'],
      sent: { tool_choice: { type: 'auto' } },
    });
    expect(translated({ ...request, reasoning_effort: 'low' }, { model: adaptive })).toMatchObject({
      dropped: [],
      sent: { tool_choice: { type: 'any' }, thinking: { type: 'adaptive' } },
    });
  });

  it('are rejected if they are custom tools', () => {
    const custom = { type: 'custom', custom: { name: 'run' } };
    expect(() => translated({ tools: [tool('a'), custom] })).toThrow(
      expect.objectContaining({ status: 400, param: 'tools[1].type', code: 'unsupported_value' }),
    );
  });

  it('may be a web search', () => {
    const { sent, dropped } = translated({
      web_search_options: {
        search_context_size: 'high',
        user_location: { type: 'approximate', approximate: { city: 'Bern', country: 'CH', region: null } },
      },
    });
    const place = { type: 'approximate', city: 'Bern', country: 'CH' };
    expect(sent.tools).toEqual([{ type: 'web_search_20250305', name: 'web_search', user_location: place }]);
    expect(dropped).toEqual(['web_search_options.search_context_size']);
  });
});

describe('response_format', () => {
  it('is Anthropic’s native format for a JSON Schema', () => {
    const { sent, dropped } = translated({ response_format: jsonSchema({ strict: true, description: 'A number.' }) });
    expect(dropped).toEqual([]);
    expect(sent.output_config).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          description: 'A number.',
          properties: { n: { type: 'integer', description: 'Number.\nminimum: 3' }, kind: { anyOf: [{ const: 'a' }] } },
          required: ['n'],
          additionalProperties: false,
        },
      },
    });
    expect(sent).not.toHaveProperty('system');
  });

  it.each([
    ['the model has no such form', 'claude-sonnet-4-0', schema],
    ['the schema has open objects', older, { type: 'object', additionalProperties: { type: 'number' } }],
  ])('is an instruction where %s, and reported as dropped if strict', (_why, model, asked) => {
    const request = { response_format: jsonSchema({ schema: asked }) };
    const { sent, dropped } = translated(request, { model });
    expect(dropped).toEqual([]);
    expect(sent).not.toHaveProperty('output_config');
    expect(JSON.stringify(sent.system)).toContain(JSON.stringify(JSON.stringify(asked)).slice(1, -1));
    const strict = { response_format: jsonSchema({ schema: asked, strict: true }) };
    expect(translated(strict, { model }).dropped).toEqual(['response_format']);
  });

  it('is an instruction for any JSON object, after the client’s own', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ];
    const { sent } = translated({ messages, response_format: { type: 'json_object' } });
    expect(sent.system).toEqual([
      { type: 'text', text: 'Be brief.' },
      { type: 'text', text: expect.stringContaining('JSON object') },
    ]);
    expect(translated({ response_format: { type: 'text' } }, { parameters: 'strict' }).sent).not.toHaveProperty(
      'system',
    );
  });

  it('is merged with the client’s own output_config', () => {
    const { sent } = translated({ response_format: jsonSchema(), output_config: { effort: 'max' } });
    expect(sent.output_config).toMatchObject({ effort: 'max', format: { type: 'json_schema' } });
  });
});

describe('other parameters', () => {
  it.each([
    [{ safety_identifier: 'hash', user: 'old' }, { metadata: { user_id: 'hash' } }],
    [{ metadata: { user_id: 'mine' } }, { metadata: { user_id: 'mine' } }],
    [{ service_tier: 'auto' }, { service_tier: 'auto' }],
    [{ service_tier: 'default' }, { service_tier: 'standard_only' }],
    [{ service_tier: 'priority' }, { service_tier: 'auto' }],
    [{ stop: 'END' }, { stop_sequences: ['END'] }],
    [{ cache_control: { type: 'ephemeral' } }, { cache_control: { type: 'ephemeral' } }],
    [
      { container: 'container_1', inference_geo: 'us' },
      { container: 'container_1', inference_geo: 'us' },
    ],
  ])('%j becomes %j', (given, sent) => {
    const { dropped, ...rest } = translated(given, { parameters: 'strict' });
    expect(rest.sent).toMatchObject(sent);
    expect(dropped).toEqual([]);
  });

  it.each([
    ['mcp_servers', [{ type: 'url', url: 'https://example.org', name: 'x' }], ['mcp-client-2025-04-04']],
    [
      'context_management',
      { edits: [{ type: 'compact_20260112' }] },
      ['context-management-2025-06-27', 'compact-2026-01-12'],
    ],
    ['speed', 'fast', ['fast-mode-2026-02-01']],
  ])('%s is relayed in Anthropic’s format, with its beta', (name, value, betas) => {
    const translation = translated({ [name]: value }, { parameters: 'strict' });
    expect(translation.sent[name]).toEqual(value);
    expect(translation.betas).toEqual(betas);
  });

  it.each([
    ['n', 2],
    ['seed', 1],
    ['logprobs', true],
    ['presence_penalty', 0.5],
    ['logit_bias', { 1: 2 }],
    ['verbosity', 'low'],
    ['prediction', { type: 'content', content: 'x' }],
    ['prompt_cache_key', 'x'],
    ['service_tier', 'flex'],
    ['metadata', { project: 'x' }],
    ['user', 'u'.repeat(300)],
    ['stop', ['\n', 'END']],
    ['unknown_member', 1],
  ])('%s is dropped and reported, or rejected', (name, value) => {
    expect(translated({ [name]: value }).dropped).toEqual([name]);
    expect(() => translated({ [name]: value }, { parameters: 'strict' })).toThrow(
      expect.objectContaining({ status: 400, param: name, code: 'unsupported_parameter' }),
    );
  });

  it.each([
    ['betas', 'x', 'betas'],
    ['betas', ['ok', 'a,b\r\nx-evil: 1'], 'betas[1]'],
    ['thinking', 'yes', 'thinking'],
    ['output_config', [], 'output_config'],
  ])('%s of %j is rejected', (name, value, param) => {
    expect(() => translated({ [name]: value })).toThrow(expect.objectContaining({ status: 400, param }));
  });
});
