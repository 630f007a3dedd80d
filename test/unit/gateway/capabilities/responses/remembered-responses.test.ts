import { expect, it } from 'vitest';
import { RememberedResponses } from '../../../../../src/gateway/capabilities/responses/socket/remembered-responses.ts';

const [a, b, c] = [{}, {}, {}];

it('keeps the latest response of each stream', () => {
  const remembered = new RememberedResponses();
  remembered.set(a, 'resp_1', '[1]');
  remembered.set(a, 'resp_2', '[1,2]');
  remembered.set(b, 'resp_3', '[3]');
  expect(remembered.find([a, b], 'resp_1')).toBeNull();
  expect(remembered.find([a, b], 'resp_2')).toEqual('[1,2]');
  expect(remembered.find([a], 'resp_3')).toBeNull();
  expect(remembered.find([b], 'resp_3')).toBe('[3]');
});

it('drops a response by its id, and all of a stream', () => {
  const remembered = new RememberedResponses();
  remembered.set(a, 'resp_1', '[]');
  remembered.set(b, 'resp_2', '[]');
  remembered.forget([a, b], 'resp_2');
  remembered.forget([a, b], 'resp_9');
  expect(remembered.find([a, b], 'resp_2')).toBeNull();
  expect(remembered.find([a, b], 'resp_1')).toBe('[]');
  remembered.delete(a);
  expect(remembered.find([a, b], 'resp_1')).toBeNull();
});

it('gives up the least recently used response when memory is short', () => {
  const remembered = new RememberedResponses(100);
  const items = JSON.stringify(['x'.repeat(30)]);
  remembered.set(a, 'resp_1', items);
  remembered.set(b, 'resp_2', items);
  expect(remembered.find([a], 'resp_1')).toEqual(items);
  remembered.set(c, 'resp_3', items);
  expect(remembered.find([b], 'resp_2')).toBeNull();
  expect(remembered.find([a], 'resp_1')).toEqual(items);
  // Replaced and removed ones take no room.
  for (let index = 0; index < 10; index++) remembered.set(c, `resp_${index}`, items);
  expect(remembered.find([a], 'resp_1')).toEqual(items);
  remembered.set(b, 'resp_9', JSON.stringify(['x'.repeat(200)]));
  expect(remembered.find([b], 'resp_9')).toBeNull();
});
