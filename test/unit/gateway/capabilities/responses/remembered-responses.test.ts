import { expect, it } from 'vitest';
import {
  RememberedResponses,
  type Conversation,
} from '../../../../../src/gateway/capabilities/responses/socket/remembered-responses.ts';

const [a, b, c] = [{}, {}, {}];

const conversation = (items: string): Conversation => ({ previousId: 'resp_0', items });

it('keeps the latest response of each stream', () => {
  const remembered = new RememberedResponses();
  remembered.set(a, 'resp_1', conversation('[1]'));
  remembered.set(a, 'resp_2', conversation('[1,2]'));
  remembered.set(b, 'resp_3', conversation('[3]'));
  expect(remembered.find([a, b], 'resp_1')).toBeNull();
  expect(remembered.find([a, b], 'resp_2')).toMatchObject(conversation('[1,2]'));
  expect(remembered.find([a], 'resp_3')).toBeNull();
  expect(remembered.find([b], 'resp_3')).toMatchObject(conversation('[3]'));
});

it('drops a response by its id, and all of a stream', () => {
  const remembered = new RememberedResponses();
  remembered.set(a, 'resp_1', conversation('[]'));
  remembered.set(b, 'resp_2', conversation('[]'));
  remembered.forget([a, b], 'resp_2');
  remembered.forget([a, b], 'resp_9');
  expect(remembered.find([a, b], 'resp_2')).toBeNull();
  expect(remembered.find([a, b], 'resp_1')).toMatchObject(conversation('[]'));
  remembered.delete(a);
  expect(remembered.find([a, b], 'resp_1')).toBeNull();
});

it('gives up the least recently used response when memory is short', () => {
  const remembered = new RememberedResponses(100);
  const items = JSON.stringify(['x'.repeat(30)]);
  remembered.set(a, 'resp_1', conversation(items));
  remembered.set(b, 'resp_2', conversation(items));
  expect(remembered.find([a], 'resp_1')).toMatchObject(conversation(items));
  remembered.set(c, 'resp_3', conversation(items));
  expect(remembered.find([b], 'resp_2')).toBeNull();
  expect(remembered.find([a], 'resp_1')).toMatchObject(conversation(items));
  // Replaced and removed ones take no room.
  for (let index = 0; index < 10; index++) remembered.set(c, `resp_${index}`, conversation(items));
  expect(remembered.find([a], 'resp_1')).toMatchObject(conversation(items));
  remembered.set(b, 'resp_9', conversation(JSON.stringify(['x'.repeat(200)])));
  expect(remembered.find([b], 'resp_9')).toBeNull();
});
