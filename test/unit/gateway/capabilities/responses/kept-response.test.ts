import { expect, it } from 'vitest';
import type { ClientResponse, ResponseHead } from '../../../../../src/gateway/client-response.ts';
import { KeptResponse } from '../../../../../src/gateway/capabilities/responses/relay/kept-response.ts';

const head = { contentLength: null } as ResponseHead;
const complete = { id: 'resp_theirs', status: 'completed', output: [] };

function keeping() {
  const kept: object[] = [];
  const sent: string[] = [];
  const client: ClientResponse = {
    head: () => undefined,
    write: (bytes) => sent.push(bytes.toString()) > 0,
    end: (bytes) => void sent.push(bytes?.toString() ?? ''),
    fail: () => undefined,
    abort: () => undefined,
  };
  const response = new KeptResponse(client, {
    id: 'resp_ours',
    relayed: () => complete,
    keep: (given) => void kept.push(given),
  });
  response.head(head);
  response.write(Buffer.from('data: {"id":"resp_theirs"}\n\n'));
  return { response, kept, sent };
}

it('a response of a provider that stores none is stored by its own id', () => {
  const { response, kept, sent } = keeping();
  response.end(Buffer.from('data: {"id":"resp_theirs","text":"resp_theirs \\"resp_theirs\\""}\n\n'), 5n);
  expect(kept).toEqual([{ ...complete, id: 'resp_ours', store: true }]);
  expect(sent).toEqual([
    'data: {"id":"resp_ours"}\n\n',
    'data: {"id":"resp_ours","text":"resp_theirs \\"resp_theirs\\""}\n\n',
  ]);
});

it('a response that output moderation refuses at its end is not stored, although its provider completed it', () => {
  const { response, kept } = keeping();
  // As the last event of a failure: without a cost.
  response.end(Buffer.from('data: {"type":"error"}\n\n'), null);
  expect(kept).toEqual([]);
});
