import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../../src/protocols/canonical/json-members.ts';
import type { ClientResponse, ResponseHead } from '../../../../../src/gateway/client-response.ts';
import type { Connection } from '../../../../../src/providers/contract.ts';
import { KeptResponse } from '../../../../../src/gateway/capabilities/responses/relay/kept-response.ts';

const head: Omit<ResponseHead, 'contentLength'> = {
  provider: 'groq',
  model: 'groq/m',
  contentType: 'text/event-stream',
  costNano: null,
  priced: true,
  dropped: [],
  cache: null,
  moderation: null,
};
const connection: Connection = {
  id: 'groq',
  provider: 'groq',
  billed: true,
  storesResponses: false,
  services: {},
  chat: () => [],
  listModels: () => Promise.resolve([]),
  close: () => Promise.resolve(),
};
const complete = { id: 'resp_theirs', status: 'completed', output: [] };

function keeping(contentLength: number | null = null, relayed: JsonObject | null = complete) {
  const kept: object[] = [];
  const sent: string[] = [];
  const lengths: unknown[] = [];
  const client: ClientResponse = {
    head: (given) => void lengths.push(given.contentLength),
    write: (bytes) => sent.push(bytes.toString()) > 0,
    end: (bytes) => void sent.push(bytes?.toString() ?? ''),
    fail: () => undefined,
    abort: () => undefined,
  };
  const response = new KeptResponse(client, {
    id: 'resp_ours',
    continues: null,
    relayed: () => relayed && { connection, response: relayed },
    keep: (given) => void kept.push(given),
  });
  response.head({ ...head, contentLength });
  return { response, kept, sent, lengths };
}

it('a response of a provider that stores none is stored by its own id', () => {
  const { response, kept, sent } = keeping();
  response.write(Buffer.from('data: {"id":"resp_theirs"}\n\n'));
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

it('a response says that it is stored, in a document and in events, and elsewhere nothing is changed', () => {
  const asked = '"tools":[{"parameters":{"store": false}}],"metadata":{"store":"false"},"text":"\\"store\\":false"';
  const given = `{"id":"resp_theirs", "store" : false ,${asked}}`;
  const stored = `{"id":"resp_ours", "store" : true ,${asked}}`;
  const document = keeping(given.length);
  document.response.end(Buffer.from(given), 5n);
  expect(document.sent).toEqual([stored]);
  expect(document.lengths).toEqual([stored.length]);
  const { response, sent } = keeping();
  const delta = 'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","store":false}\n\n';
  response.write(Buffer.from(`event: response.created\ndata: {"response":${given},"store":false}\n\n${delta}`));
  response.end(Buffer.from(`data: {"type":"response.completed","response":${given}}\n\n`), 5n);
  expect(sent).toEqual([
    `event: response.created\ndata: {"response":${stored},"store":false}\n\n${delta}`,
    `data: {"type":"response.completed","response":${stored}}\n\n`,
  ]);
});

it('a response of a provider that stores it is passed on as it is', () => {
  const { response, kept, sent } = keeping(null, null);
  const event = 'data: {"response":{"id":"resp_theirs","store":false}}\n\n';
  response.end(Buffer.from(event), 5n);
  expect([sent, kept]).toEqual([[event], []]);
});
