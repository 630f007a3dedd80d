import { expect, it } from 'vitest';
import { replayResponse } from '../../../../src/gateway/replay/replay-response.ts';

const toolCalls = [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }];

const documents: readonly (readonly [protocol: string, document: object])[] = [
  [
    'chat-completions',
    {
      choices: [{ index: 0, message: { role: 'assistant', content: 'Rain', tool_calls: toolCalls, annotations: [] } }],
    },
  ],
  [
    'responses',
    {
      object: 'response',
      id: 'resp_1',
      status: 'completed',
      output: [
        { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'Rain' }] },
        { type: 'function_call', id: 'f', call_id: 'c1', name: 'weather', arguments: '{"city":"Oslo"}' },
      ],
    },
  ],
  [
    'messages',
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      model: 'm',
      content: [
        { type: 'text', text: 'Rain' },
        { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Oslo' } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  ],
];

it.each(documents)('the response of %s becomes a message of the assistant', (_protocol, document) => {
  expect(replayResponse(document)).toEqual({ role: 'assistant', content: 'Rain', tool_calls: toolCalls });
});

it('the responses of gemini and completions become messages, too', () => {
  const parts = [{ text: 'Rain' }];
  expect(replayResponse({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] })).toEqual({
    role: 'assistant',
    content: 'Rain',
  });
  expect(replayResponse({ id: 'c', choices: [{ index: 0, text: 'Rain', finish_reason: 'stop' }] })).toMatchObject({
    role: 'assistant',
    content: 'Rain',
  });
});

it('a failed request has none', () => {
  for (const body of [null, 'text', {}, { error: { message: 'no' } }, { choices: [] }, { omitted: { bytes: 5 } }])
    expect(replayResponse(body)).toBeNull();
});
