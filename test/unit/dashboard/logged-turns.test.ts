import { describe, expect, it } from 'vitest';
import { readRequest, readResponse } from '../../../src/dashboard/pages/usage-logs/content/turns.ts';

const call = { kind: 'call', name: 'weather', value: { city: 'Oslo' } };
const media = '[media:image/png; 3000 bytes]';

describe('a request as messages', () => {
  it('is read from Chat Completions', () => {
    const { turns, tools, rest } = readRequest({
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image_url', image_url: { url: media } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: '{"celsius":4}' },
      ],
      tools: [{ type: 'function', function: { name: 'weather', parameters: {} } }],
    });
    expect(turns).toEqual([
      { role: 'system', finish: null, parts: [{ kind: 'text', text: 'Be brief.' }] },
      {
        role: 'user',
        finish: null,
        parts: [
          { kind: 'text', text: 'Look' },
          { kind: 'media', text: media },
        ],
      },
      { role: 'assistant', finish: null, parts: [{ ...call, id: 'c1' }] },
      {
        role: 'tool',
        finish: null,
        parts: [{ kind: 'result', id: 'c1', parts: [{ kind: 'json', name: 'Result', value: { celsius: 4 } }] }],
      },
    ]);
    expect(tools.map(({ name }) => name)).toEqual(['weather']);
    expect(rest).toEqual({ model: 'm' });
  });

  it('is read from Responses', () => {
    const { turns } = readRequest({
      instructions: 'Be brief.',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Look' },
            { type: 'input_image', image_url: media },
          ],
        },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
        { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":"Oslo"}' },
        { type: 'function_call_output', call_id: 'c1', output: 'Cold' },
      ],
    });
    expect(turns.map(({ role, parts }) => [role, ...parts])).toEqual([
      ['system', { kind: 'text', text: 'Be brief.' }],
      ['user', { kind: 'text', text: 'Look' }, { kind: 'media', text: media }],
      ['assistant', { kind: 'reasoning', text: 'Hm.' }],
      ['assistant', { ...call, id: 'c1' }],
      ['tool', { kind: 'result', id: 'c1', parts: [{ kind: 'text', text: 'Cold' }] }],
    ]);
  });

  it('is read from Messages', () => {
    const { turns } = readRequest({
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [
        {
          role: 'user',
          content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: media } }],
        },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Oslo' } }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'Cold' }] }],
        },
      ],
    });
    expect(turns.map(({ role, parts }) => [role, ...parts])).toEqual([
      ['system', { kind: 'text', text: 'Be brief.' }],
      ['user', { kind: 'media', text: media }],
      ['assistant', { ...call, id: 'c1' }],
      ['user', { kind: 'result', id: 'c1', parts: [{ kind: 'text', text: 'Cold' }] }],
    ]);
  });

  it('is read from Gemini', () => {
    const { turns, tools } = readRequest({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Look' }, { inlineData: { mimeType: 'image/png', data: media } }] },
        { role: 'model', parts: [{ functionCall: { name: 'weather', args: { city: 'Oslo' } } }] },
        { parts: [{ functionResponse: { name: 'weather', response: { celsius: 4 } } }] },
      ],
      tools: [{ functionDeclarations: [{ name: 'weather' }] }],
    });
    expect(turns.map(({ role, parts }) => [role, ...parts])).toEqual([
      ['system', { kind: 'text', text: 'Be brief.' }],
      ['user', { kind: 'text', text: 'Look' }, { kind: 'media', text: media }],
      ['model', { ...call, id: null }],
      ['user', { kind: 'result', id: 'weather', parts: [{ kind: 'json', name: 'Result', value: { celsius: 4 } }] }],
    ]);
    expect(tools).toEqual([{ name: 'weather', value: { name: 'weather' } }]);
  });

  it('of other capabilities is its text, and what else it has', () => {
    expect(readRequest({ model: 'm', input: ['a', 'b'] })).toMatchObject({
      turns: [{ role: 'user', parts: [{ text: 'a' }, { text: 'b' }] }],
      rest: { model: 'm' },
    });
    expect(readRequest({ query: 'q', documents: ['a'] })).toMatchObject({
      turns: [{ role: 'user', parts: [{ text: 'q' }] }],
      rest: { documents: ['a'] },
    });
    expect(readRequest({ input: [1, 2] }).turns).toMatchObject([{ parts: [{ kind: 'json', value: [1, 2] }] }]);
  });

  it('shows bodies of no known form as they are', () => {
    for (const body of [null, 7, 'text', [], { messages: 'no list' }, { messages: [null, 3, { role: 'user' }] }])
      expect(() => readRequest(body)).not.toThrow();
    expect(readRequest({ messages: 'no list' }).turns).toMatchObject([{ parts: [{ text: 'no list' }] }]);
    expect(readRequest([1]).turns).toMatchObject([{ parts: [{ kind: 'json', value: [1] }] }]);
  });
});

describe('a response as messages', () => {
  const text = [{ kind: 'text', text: 'Hello' }];

  it.each([
    ['Chat Completions', { choices: [{ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }] }],
    ['Completions', { choices: [{ text: 'Hello', finish_reason: 'stop' }] }],
    ['Messages', { content: [{ type: 'text', text: 'Hello' }], stop_reason: 'stop' }],
  ])('is read from %s', (_name, body) => {
    expect(readResponse(body).turns).toEqual([{ role: 'assistant', finish: 'stop', parts: text }]);
  });

  it('is read from Responses', () => {
    const output = [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] },
      { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":"Oslo"}' },
    ];
    const { turns, rest } = readResponse({ id: 'resp_1', output, text: { format: { type: 'text' } } });
    const parts = [{ kind: 'reasoning', text: 'Hm.' }, ...text, { ...call, id: 'c1' }];
    expect(turns).toEqual([{ role: 'assistant', finish: null, parts }]);
    expect(rest).toEqual({ id: 'resp_1', text: { format: { type: 'text' } } });
  });

  it('is read from Gemini', () => {
    const body = { candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }] };
    expect(readResponse(body).turns).toEqual([{ role: 'model', finish: 'STOP', parts: text }]);
  });

  it('of other capabilities is its text, its media, or its fields', () => {
    expect(readResponse({ text: 'Hello' })).toMatchObject({ turns: [{ parts: text }], rest: {} });
    expect(readResponse(media).turns).toMatchObject([{ parts: [{ text: media }] }]);
    expect(readResponse({ data: [] })).toMatchObject({ turns: [], rest: { data: [] } });
  });
});
