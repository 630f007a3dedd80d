import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../../../src/errors/index.ts';
import { decodeChatRequest } from '../../../../src/protocols/chat-completions/decode-request.ts';
import { decodeResponsesRequest } from '../../../../src/protocols/responses/decode-request.ts';
import { generationRequest } from '../../../../src/protocols/responses/decode-request/generation-request.ts';
import { sealDetails } from '../../../../src/protocols/responses/encrypted-content/encrypted-reasoning.ts';
import { reader, seal } from '../../../harness/content-seal.ts';

const model = 'sandbox/chat';

/** The converted request, which must be a valid chat. */
function chatOf(body: object) {
  const made = generationRequest(decodeResponsesRequest({ model, ...body }), reader);
  decodeChatRequest(made.body);
  return made;
}

function refusal(body: unknown): { code: string; param: string | null } {
  try {
    generationRequest(decodeResponsesRequest(body), reader);
  } catch (error) {
    if (error instanceof SluiceError) return { code: error.code, param: error.param };
    throw error;
  }
  return expect.fail('it was taken');
}

describe('the input of a response', () => {
  it('may be a string', () => {
    expect(chatOf({ input: 'Hello' }).body).toEqual({ model, messages: [{ role: 'user', content: 'Hello' }] });
  });

  it('starts with the instructions', () => {
    expect(chatOf({ input: 'Hello', instructions: 'Be brief.' }).body.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ]);
  });

  it('may contain messages with and without their type, and every part that chats support', () => {
    const parts = [
      { type: 'input_text', text: 'Look' },
      { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'low' },
      { type: 'input_file', file_data: 'data:application/pdf;base64,AA==', filename: 'a.pdf' },
      { type: 'input_file', file_url: 'https://example.com/b.pdf' },
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
    ];
    const input = [
      { role: 'developer', content: 'Be kind.' },
      { type: 'message', role: 'user', content: parts },
      {
        type: 'message',
        role: 'assistant',
        id: 'msg_1',
        status: 'completed',
        content: [
          { type: 'output_text', text: 'I see.', annotations: [] },
          { type: 'refusal', refusal: 'No.' },
        ],
      },
    ];
    expect(chatOf({ input }).body.messages).toEqual([
      { role: 'developer', content: 'Be kind.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==', detail: 'low' } },
          { type: 'file', file: { file_data: 'data:application/pdf;base64,AA==', filename: 'a.pdf' } },
          { type: 'file', file: { file_data: 'https://example.com/b.pdf' } },
          { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I see.' },
          { type: 'refusal', refusal: 'No.' },
        ],
      },
    ]);
  });

  it('joins consecutive reasoning, text and calls of an assistant to one message', () => {
    const details = [{ type: 'reasoning.text', format: 'anthropic-claude-v1', text: 'hm', signature: 'S' }];
    const input = [
      { role: 'user', content: 'Weather?' },
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'hm' }],
        encrypted_content: sealDetails(details, seal),
      },
      { role: 'assistant', content: 'I look.' },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'weather', arguments: '{"in":"Rome"}' },
      { type: 'custom_tool_call', call_id: 'call_2', name: 'shell', input: 'ls' },
      { type: 'function_call_output', call_id: 'call_1', output: 'sunny' },
      { type: 'custom_tool_call_output', call_id: 'call_2', output: [{ type: 'input_text', text: 'a.txt' }] },
    ];
    expect(chatOf({ input }).body.messages).toEqual([
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'I look.' }],
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"in":"Rome"}' } },
          { id: 'call_2', type: 'function', function: { name: 'shell', arguments: '{"input":"ls"}' } },
        ],
        reasoning_details: details,
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
      { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: 'a.txt' }] },
    ]);
  });

  it('passes reasoning encrypted by OpenAI in OpenAI’s format', () => {
    const input = [
      { type: 'reasoning', id: 'rs_9', summary: [], encrypted_content: 'gAAAA' },
      { role: 'assistant', content: 'Yes.' },
      { role: 'user', content: 'Why?' },
    ];
    expect(chatOf({ input }).body.messages).toMatchObject([
      {
        role: 'assistant',
        reasoning_details: [{ id: 'rs_9', format: 'openai-responses-v1', type: 'reasoning.encrypted', data: 'gAAAA' }],
      },
      { role: 'user' },
    ]);
  });

  it('omits reasoning without output, and images by a model', () => {
    const input = [
      { type: 'reasoning', summary: [] },
      { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'AA==' },
      { role: 'user', content: 'And?' },
    ];
    expect(chatOf({ input }).body.messages).toEqual([{ role: 'user', content: 'And?' }]);
  });

  it.each([
    [{}, 'missing_model', null],
    [{ model }, 'missing_required_parameter', 'input'],
    [{ model, input: [] }, 'missing_required_parameter', 'input'],
    [{ model, input: 7 }, 'invalid_type', 'input'],
    [{ model, input: [{ type: 'message', role: 'robot', content: 'x' }] }, 'invalid_value', 'input[0].role'],
    [{ model, input: [{ type: 'no_such_item' }] }, 'invalid_value', 'input[0].type'],
    [{ model, input: [{ type: 'item_reference', id: 'msg_1' }] }, 'invalid_value', 'input[0].id'],
    [
      { model, input: [{ role: 'system', content: [{ type: 'input_image', image_url: 'data:,' }] }] },
      'unsupported_value',
      'input[0].content[0].type',
    ],
    [
      { model, input: [{ role: 'assistant', content: [{ type: 'input_image', image_url: 'data:,' }] }] },
      'unsupported_value',
      'input[0].content[0].type',
    ],
    [
      { model, input: [{ role: 'user', content: [{ type: 'refusal', refusal: 'x' }] }] },
      'unsupported_value',
      'input[0].content[0].type',
    ],
    [
      { model, input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'file-1' }] }] },
      'unsupported_value',
      'input[0].content[0].image_url',
    ],
    [
      { model, input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'ftp://x' }] }] },
      'invalid_value',
      'input[0].content[0].image_url',
    ],
    [
      { model, input: [{ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image' }] }] },
      'unsupported_value',
      'input[0].output[0].image_url',
    ],
    [{ model, input: 'x', conversation: 'conv_1' }, 'not_found', 'conversation'],
    [{ model, input: 'x', prompt: { id: 'pmpt_1' } }, 'unsupported_value', 'prompt'],
    [{ model, input: 'x', max_output_tokens: 15 }, 'integer_below_min_value', 'max_output_tokens'],
    [{ model, input: 'x', background: true, store: false }, 'invalid_value', 'background'],
    [{ model, input: 'x', tools: [{ type: 'code_interpreter' }] }, 'invalid_value', 'tools[0].type'],
    [{ model, input: 'x', tools: [{ type: 'function', name: 'a b' }] }, 'invalid_value', 'tools[0].name'],
  ])('%j is rejected', (body, code, param) => {
    expect(refusal(body)).toEqual({ code, param });
  });
});

describe('the settings of a response', () => {
  it('are converted to those of a chat', () => {
    const { body, dropped } = chatOf({
      input: 'x',
      stream: true,
      max_output_tokens: 64,
      temperature: 0.5,
      top_p: 0.9,
      top_logprobs: 2,
      parallel_tool_calls: false,
      metadata: { team: 'a' },
      service_tier: 'flex',
      safety_identifier: 'me',
      prompt_cache_key: 'k',
      reasoning: { effort: 'low' },
      include: ['reasoning.encrypted_content'],
      truncation: 'disabled',
      store: true,
      text: {
        format: { type: 'json_schema', name: 'a', schema: { type: 'object' }, strict: true },
        verbosity: 'low',
      },
      tools: [
        { type: 'function', name: 'f', parameters: { type: 'object' }, strict: true, description: 'd' },
        { type: 'custom', name: 'c', format: { type: 'grammar', syntax: 'regex', definition: 'a+' } },
        { type: 'web_search', search_context_size: 'low', user_location: { type: 'approximate', city: 'Rome' } },
      ],
      tool_choice: { type: 'function', name: 'f' },
      top_k: 3,
    });
    expect(dropped).toEqual(['tools[1].format']);
    expect(body).toEqual({
      model,
      messages: [{ role: 'user', content: 'x' }],
      stream: true,
      stream_options: { include_usage: true },
      max_completion_tokens: 64,
      temperature: 0.5,
      top_p: 0.9,
      logprobs: true,
      top_logprobs: 2,
      parallel_tool_calls: false,
      metadata: { team: 'a' },
      service_tier: 'flex',
      safety_identifier: 'me',
      prompt_cache_key: 'k',
      reasoning_effort: 'low',
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' }, strict: true } },
      verbosity: 'low',
      tools: [
        { type: 'function', function: { name: 'f', parameters: { type: 'object' }, strict: true, description: 'd' } },
        {
          type: 'function',
          function: {
            name: 'c',
            description: 'The input has this grammar (regex):\na+',
            parameters: {
              type: 'object',
              properties: { input: { type: 'string', description: 'The input, as free text.' } },
              required: ['input'],
              additionalProperties: false,
            },
          },
        },
      ],
      web_search_options: {
        search_context_size: 'low',
        user_location: { type: 'approximate', approximate: { city: 'Rome' } },
      },
      tool_choice: { type: 'function', function: { name: 'f' } },
      top_k: 3,
    });
  });

  it('list members without an equivalent in a chat', () => {
    const { dropped, body } = chatOf({
      input: 'x',
      n: 2,
      reasoning: { summary: 'auto' },
      text: { style: 'plain' },
      tools: [{ type: 'web_search', filters: { allowed_domains: ['a.example'] } }, { type: 'web_search_preview' }],
      truncation: 'auto',
      max_tool_calls: 2,
      include: ['web_search_call.action.sources'],
    });
    expect(dropped).toEqual([
      'reasoning.summary',
      'text.style',
      'tools[0].filters',
      'tools[1]',
      'truncation',
      'max_tool_calls',
      'n',
      'include',
    ]);
    expect(body).toEqual({ model, messages: [{ role: 'user', content: 'x' }], web_search_options: {} });
  });

  it('accept every form of `tool_choice`', () => {
    const tools = [{ type: 'function', name: 'f' }];
    const choice = (tool_choice: unknown) => chatOf({ input: 'x', tools, tool_choice }).body.tool_choice;
    expect(choice('required')).toBe('required');
    expect(choice({ type: 'custom', name: 'c' })).toEqual({ type: 'function', function: { name: 'c' } });
    expect(choice({ type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] })).toEqual({
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
    });
  });
});
