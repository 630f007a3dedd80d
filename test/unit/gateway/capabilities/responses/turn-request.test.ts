import { expect, it } from 'vitest';
import {
  postedBody,
  readTurnRequest,
  withInput,
  withItems,
} from '../../../../../src/gateway/capabilities/responses/socket/turn-request.ts';

const turn = (members: object): ReturnType<typeof readTurnRequest> =>
  readTurnRequest(Buffer.from(JSON.stringify({ type: 'response.create', ...members })));

it.each([
  ['[]', [], []],
  ['[]', [1], [1]],
  ['[1]', [], [1]],
  ['[1,2]', [{ a: ']' }], [1, 2, { a: ']' }]],
])('adds items to %s', (items, added, expected) => {
  expect(JSON.parse(withItems(items, added))).toEqual(expected);
});

it('reads the input as items', () => {
  const message = { type: 'message', role: 'user', content: 'Hello' };
  const items = (sent: object, before: string): unknown =>
    JSON.parse(withInput(turn(sent), { previousId: null, items: before }).items);
  expect(items({ input: 'Hello' }, '[]')).toEqual([message]);
  expect(items({ input: [message] }, '[{"id":"msg_1"}]')).toEqual([{ id: 'msg_1' }, message]);
  expect(items({}, '[]')).toEqual([]);
});

it('posts what the client sent, without the members of the socket', () => {
  const sent = turn({ model: 'm', stream_id: 'a', generate: true, background: false, input: 'x', unknown: 1.5 });
  expect(JSON.parse(String(postedBody(sent, null, true)))).toEqual({
    model: 'm',
    input: 'x',
    unknown: 1.5,
    stream: true,
  });
});

it('asks for encrypted reasoning once where nothing is stored', () => {
  const include = (sent: object): unknown =>
    JSON.parse(String(postedBody(turn({ store: false, ...sent }), null, false))).include;
  expect(include({})).toEqual(['reasoning.encrypted_content']);
  expect(include({ include: ['file_search_call.results'] })).toEqual([
    'file_search_call.results',
    'reasoning.encrypted_content',
  ]);
  expect(include({ include: ['reasoning.encrypted_content'] })).toEqual(['reasoning.encrypted_content']);
});

it('sends the conversation instead of the response that it continues', () => {
  const sent = turn({ model: 'm', input: 'x', store: false, previous_response_id: 'resp_1' });
  const expected = {
    model: 'm',
    input: [1],
    store: false,
    stream: true,
    include: ['reasoning.encrypted_content'],
  };
  expect(JSON.parse(String(postedBody(sent, { previousId: null, items: '[1]' }, false)))).toEqual(expected);
  expect(JSON.parse(String(postedBody(sent, { previousId: 'resp_0', items: '[1]' }, false)))).toEqual({
    ...expected,
    previous_response_id: 'resp_0',
  });
});
