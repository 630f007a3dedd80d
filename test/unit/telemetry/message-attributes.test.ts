import { describe, expect, it } from 'vitest';
import { messageAttributes } from '../../../src/telemetry/traces/message-attributes.ts';

function messagesOf(request: object, response: object | null): Record<string, unknown> {
  const document = Buffer.from(JSON.stringify({ request, response, error: null, isComplete: true }));
  return Object.fromEntries(
    Object.entries(messageAttributes(document)).map(([name, value]) => [name, JSON.parse(String(value))]),
  );
}

const said = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });
const both = {
  'gen_ai.input.messages': [said('user', 'Hello')],
  'gen_ai.output.messages': [said('assistant', 'Hi')],
};

describe('messages of a span', () => {
  it.each([
    [
      'Chat Completions',
      { messages: [{ role: 'user', content: 'Hello' }] },
      { choices: [{ message: { role: 'assistant', content: 'Hi' } }] },
    ],
    ['Completions', { prompt: 'Hello' }, { choices: [{ text: 'Hi' }] }],
    [
      'Responses',
      { input: 'Hello' },
      { output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }] },
    ],
    [
      'Messages',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
    ],
    [
      'Gemini',
      { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
      { candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] } }] },
    ],
  ])('are read from %s', (_protocol, request, response) => {
    expect(messagesOf(request, response)).toEqual(both);
  });

  it.each([
    { system: 'Be brief.' },
    { instructions: 'Be brief.' },
    { systemInstruction: { parts: [{ text: 'Be brief.' }] } },
  ])('have the instructions of %o', (members) => {
    expect(messagesOf({ ...members, messages: [] }, null)).toEqual({
      'gen_ai.system_instructions': [{ type: 'text', content: 'Be brief.' }],
    });
  });

  it('have tool calls as parts', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{}' } };
    const output = messagesOf({}, { choices: [{ message: { role: 'assistant', content: null, tool_calls: [call] } }] });
    expect(output['gen_ai.output.messages']).toEqual([
      { role: 'assistant', parts: [{ type: 'tool_call', id: 'call_1', name: 'look_up', arguments: '{}' }] },
    ]);
  });

  it('omit earlier messages of a long conversation', () => {
    const messages = Array.from({ length: 30 }, (_, at) => ({ role: 'user', content: `${at} ${'x'.repeat(5_000)}` }));
    const kept = messagesOf({ messages }, null)['gen_ai.input.messages'] as ReturnType<typeof said>[];
    expect(kept.length).toBeLessThan(30);
    expect(kept.at(-1)?.parts[0]?.content).toMatch(/^29 /);
  });
});
