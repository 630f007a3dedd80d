import { describe, expect, it } from 'vitest';
import type { GenerationRequest } from '../../../../src/protocols/canonical/generation-request.ts';
import { translated } from './translated.ts';

/** The members that Google is sent beside the usual conversation. */
function sent(request: Partial<GenerationRequest>, model?: string): Record<string, unknown> {
  const { contents: _, ...members } = translated(request, model === undefined ? {} : { model }).sent;
  return members;
}

function generation(request: Partial<GenerationRequest>, model?: string): unknown {
  return sent(request, model).generationConfig;
}

const said = { role: 'user', parts: [{ text: 'Hello' }] };

describe('parameters', () => {
  it('of sampling have Google’s names', () => {
    const request = {
      max_completion_tokens: 100,
      max_tokens: 5,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      stop: ['a', 'b'],
      seed: -7,
      presence_penalty: 0.1,
      frequency_penalty: -0.2,
      n: 3,
      logprobs: true,
      top_logprobs: 4,
    };
    expect(generation(request)).toEqual({
      maxOutputTokens: 100,
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      stopSequences: ['a', 'b'],
      seed: -7,
      presencePenalty: 0.1,
      frequencyPenalty: -0.2,
      candidateCount: 3,
      responseLogprobs: true,
      logprobs: 4,
    });
    expect(generation({ max_tokens: 5, stop: 'x', seed: 2 ** 40 + 3 })).toEqual({
      maxOutputTokens: 5,
      stopSequences: ['x'],
      seed: 3,
    });
  });

  it('that are null or absent are not sent', () => {
    expect(
      translated({ temperature: null, tools: [], reasoning_effort: null, response_format: { type: 'text' } }).sent,
    ).toEqual({ contents: [said] });
  });

  it('of the response format are converted', () => {
    expect(generation({ response_format: { type: 'json_object' } })).toEqual({ responseMimeType: 'application/json' });
    const schema = {
      type: 'object',
      properties: { const: { const: 'x' }, list: { type: 'array', items: { anyOf: [{ const: 1 }, true] } } },
      $defs: { d: { const: null } },
      required: ['const'],
    };
    expect(generation({ response_format: { type: 'json_schema', json_schema: { name: 's', schema } } })).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: {
        type: 'object',
        properties: { const: { enum: ['x'] }, list: { type: 'array', items: { anyOf: [{ enum: [1] }, true] } } },
        $defs: { d: { enum: [null] } },
        required: ['const'],
      },
    });
  });

  it.each([
    ['gemini-2.5-flash', 'none', { thinkingBudget: 0 }],
    ['gemini-2.5-flash', 'minimal', { includeThoughts: true, thinkingBudget: 1_024 }],
    ['gemini-2.5-flash', 'medium', { includeThoughts: true, thinkingBudget: 8_192 }],
    ['gemini-2.5-flash', 'max', { includeThoughts: true, thinkingBudget: 24_576 }],
    ['gemini-2.5-pro', 'high', { includeThoughts: true, thinkingBudget: 24_576 }],
    ['gemini-2.5-pro', 'xhigh', { includeThoughts: true, thinkingBudget: 32_768 }],
    ['gemini-3-flash-preview', 'minimal', { includeThoughts: true, thinkingLevel: 'minimal' }],
    ['gemini-3.8-flash', 'minimal', { includeThoughts: true, thinkingLevel: 'low' }],
    ['gemini-3.1-pro-preview', 'minimal', { includeThoughts: true, thinkingLevel: 'low' }],
    ['gemini-3-pro-preview', 'low', { includeThoughts: true, thinkingLevel: 'low' }],
    ['gemini-4-argon', 'xhigh', { includeThoughts: true, thinkingLevel: 'high' }],
    ['gemini-4-hydrogen', 'max', { includeThoughts: true, thinkingLevel: 'xhigh' }],
    ['gemini-flash-latest', 'medium', { includeThoughts: true, thinkingLevel: 'medium' }],
  ] as const)('of thinking: %s, %s', (model, effort, thinkingConfig) =>
    expect(generation({ reasoning_effort: effort }, model)).toEqual({ thinkingConfig }),
  );

  it('for disabled thinking are omitted for a model that never thinks', () =>
    expect(sent({ reasoning_effort: 'none' }, 'gemini-2.0-flash')).toEqual({}));

  it.each<[string, Partial<GenerationRequest>, string?]>([
    ['reasoning_effort', { reasoning_effort: 'none' }],
    ['reasoning_effort', { reasoning_effort: 'none' }, 'gemini-2.5-pro'],
    ['reasoning_effort', { reasoning_effort: 'low' }, 'gemini-2.0-flash'],
    ['presence_penalty', { presence_penalty: 1 }, 'gemini-2.5-flash'],
    ['frequency_penalty', { frequency_penalty: 1 }, 'gemini-2.5-pro'],
    ['logit_bias', { logit_bias: { 1: 2 } }],
    ['parallel_tool_calls', { parallel_tool_calls: false }],
    ['verbosity', { verbosity: 'low' }],
    ['service_tier', { service_tier: 'scale' }],
    ['modalities', { modalities: ['text', 'audio'], audio: null }],
    ['top_k', { top_k: 'many' }],
    ['web_search_options.search_context_size', { web_search_options: { search_context_size: 'low' } }],
    ['google.max_output_tokens', { google: { max_output_tokens: 9 } }],
    [
      'extra_body.google.generation_config.candidateCount',
      { extra_body: { google: { generation_config: { candidateCount: 9 } } } },
    ],
    ['extra_body.other', { extra_body: { other: 9 } }],
  ])('%s is rejected by name, or dropped and reported: %j', (name, request, model = 'gemini-3-pro-preview') => {
    expect(() => translated(request, { model })).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter', param: name, status: 400 }),
    );
    const { sent: body, dropped } = translated(request, { model, parameters: 'drop' });
    expect(dropped).toEqual([name]);
    expect(body).not.toHaveProperty('generationConfig');
  });

  it('of the service tier are converted', () => {
    expect(sent({ service_tier: 'priority' })).toEqual({ serviceTier: 'priority' });
    expect(sent({ service_tier: 'auto' })).toEqual({});
  });

  it('of Google’s own are relayed, in camel and snake case', () => {
    const safety = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }];
    expect(sent({ safety_settings: safety, cachedContent: 'cachedContents/x' })).toEqual({
      safetySettings: safety,
      cachedContent: 'cachedContents/x',
    });
    const google = {
      thinking_config: { thinking_budget: 5 },
      generationConfig: { imageConfig: { aspectRatio: '1:1' } },
      response_modalities: ['TEXT', 'IMAGE'],
      safetySettings: safety,
      tools: [{ code_execution: {} }],
      tool_config: { retrieval_config: {} },
    };
    const expected = {
      generationConfig: {
        thinkingConfig: { thinking_budget: 5 },
        imageConfig: { aspectRatio: '1:1' },
        responseModalities: ['TEXT', 'IMAGE'],
      },
      safetySettings: safety,
      tools: [{ code_execution: {} }],
      toolConfig: { retrieval_config: {} },
    };
    expect(sent({ google, reasoning_effort: 'low' })).toEqual(expected);
    expect(sent({ extra_body: { google } })).toEqual(expected);
    expect(() => sent({ google: 7 })).toThrow(expect.objectContaining({ param: 'google', status: 400 }));
    expect(() => sent({ google: { tools: {} } })).toThrow(
      expect.objectContaining({ param: 'google.tools', status: 400 }),
    );
  });
});

describe('a member in camel and snake case', () => {
  it.each<[string, Partial<GenerationRequest>]>([
    ['safety_settings', { safetySettings: [], safety_settings: [] }],
    ['google.tool_config', { google: { toolConfig: {}, tool_config: {} } }],
    ['extra_body.google.thinking_config', { extra_body: { google: { thinkingConfig: {}, thinking_config: {} } } }],
    ['google.generation_config.imageConfig', { google: { generation_config: { image_config: {}, imageConfig: {} } } }],
  ])('is rejected: %s', (param, request) => {
    expect(() => sent(request)).toThrow(expect.objectContaining({ code: 'misspelled_parameter', param, status: 400 }));
  });
});

describe('tools', () => {
  const parameters = {
    type: 'object',
    properties: { a: { $ref: '#/$defs/x' } },
    $defs: { x: { const: 1 } },
    additionalProperties: false,
  };
  const f = { type: 'function' as const, function: { name: 'f', description: 'Does f', parameters } };
  const g = { type: 'function' as const, function: { name: 'g', strict: true } };
  const declared = [{ functionDeclarations: [{ name: 'f', description: 'Does f', parametersJsonSchema: parameters }] }];

  it('are declared with their complete schema, or none', () => {
    expect(sent({ tools: [f] })).toEqual({ tools: declared });
    expect(sent({ functions: [f.function], tools: [g] })).toMatchObject({
      tools: [{ functionDeclarations: [{ name: 'g' }, { name: 'f', parametersJsonSchema: parameters }] }],
    });
  });

  it.each<[string, Partial<GenerationRequest>, unknown]>([
    ['none', { tool_choice: 'none' }, { mode: 'NONE' }],
    ['auto', { tool_choice: 'auto' }, { mode: 'AUTO' }],
    ['required', { tool_choice: 'required' }, { mode: 'ANY' }],
    [
      'one',
      { tool_choice: { type: 'function', function: { name: 'f' } } },
      { mode: 'ANY', allowedFunctionNames: ['f'] },
    ],
    [
      'some',
      {
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
        },
      },
      { mode: 'VALIDATED', allowedFunctionNames: ['f'] },
    ],
    [
      'one of some',
      {
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'required', tools: [{ type: 'function', name: 'f' }] },
        },
      },
      { mode: 'ANY', allowedFunctionNames: ['f'] },
    ],
    ['the older none', { function_call: 'none' }, { mode: 'NONE' }],
    ['the older one', { function_call: { name: 'f' } }, { mode: 'ANY', allowedFunctionNames: ['f'] }],
    ['strict', { tools: [f, g] }, { mode: 'VALIDATED' }],
    ['strict, auto', { tools: [f, g], tool_choice: 'auto' }, { mode: 'VALIDATED' }],
  ])('are selected by tool_choice: %s', (_, request, functionCallingConfig) =>
    expect(sent({ tools: [f], ...request })).toMatchObject({ toolConfig: { functionCallingConfig } }),
  );

  it('of Google are combined with functions if the model supports both', () => {
    const request = { tools: [f], web_search_options: {} };
    expect(sent(request)).toEqual({
      tools: [{ googleSearch: {} }, ...declared],
      toolConfig: { includeServerSideToolInvocations: true },
    });
    expect(sent(request, 'gemini-2.5-flash')).toEqual({ tools: [{ googleSearch: {} }, ...declared] });
  });

  it.each<[string, Partial<GenerationRequest>]>([
    ['tools[0].type', { tools: [{ type: 'custom', custom: { name: 'c' } }] }],
    ['tool_choice.type', { tools: [f], tool_choice: { type: 'custom', custom: { name: 'c' } } }],
    [
      'messages[0].tool_calls[0].type',
      {
        messages: [{ role: 'assistant', tool_calls: [{ id: '1', type: 'custom', custom: { name: 'c', input: '' } }] }],
      },
    ],
  ])('with text input are rejected: %s', (param, request) =>
    expect(() => sent(request)).toThrow(expect.objectContaining({ code: 'unsupported_value', param, status: 400 })),
  );
});
