import { expect, it } from 'vitest';
import { answerUpdates, chunkUpdates } from '../../../../../src/gateway/capabilities/chat/chat-updates.ts';

it.each([
  [{ content: 'a text' }, ['a text']],
  [{ content: 'a text', refusal: 'and a refusal' }, ['a text', 'and a refusal']],
  [{ audio: { id: 'a', transcript: 'spoken' } }, ['spoken']],
  [{ function_call: { name: 'f', arguments: '{"a":1}' } }, ['{"a":1}']],
  [{ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{"b":2}' } }] }, ['{"b":2}']],
  [{ reasoning_content: 'thought' }, ['thought']],
  [{ role: 'assistant', content: '' }, []],
])('updates contain all output of a response: %j', (part, said) => {
  const result = (updates: ReturnType<typeof chunkUpdates>): string[] =>
    updates.map((update) => ('text' in update ? update.text : 'arguments' in update ? update.arguments : ''));
  expect(result(chunkUpdates({ choices: [{ index: 0, delta: part }] }))).toEqual(said);
  expect(result(answerUpdates({ choices: [{ index: 0, message: part }] }))).toEqual(said);
});
