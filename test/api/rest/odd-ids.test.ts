import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

let account: TestAccount;
let conversation: string;
let upload: string;

const created = z.object({ id: z.string() });

beforeAll(async () => {
  account = await newAccount();
  conversation = created.parse(await (await send('POST', '/v1/conversations', {})).json()).id;
  const file = { filename: 'a', purpose: 'batch', bytes: 1, mime_type: 'application/jsonl' };
  upload = created.parse(await (await send('POST', '/v1/uploads', file)).json()).id;
});

afterAll(() => account.dispose());

function send(method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${account.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** NUL, a lone surrogate in UTF-8, and what no escape is. */
const encoded = ['%00', 'a%00b', '%ED%A0%80', '%FF', '%'];
const texts = ['\0', 'a\0b', '\ud800', 'resp_\0', 'conv_\udc00'];

describe('an id that the database does not take is a client error', () => {
  it.each([
    ['GET', '/v1/responses/ID'],
    ['DELETE', '/v1/responses/ID'],
    ['POST', '/v1/responses/ID/cancel'],
    ['GET', '/v1/responses/ID/input_items'],
    ['GET', '/v1/conversations/ID'],
    ['GET', '/v1/conversations/ID/items'],
    ['GET', '/v1/conversations/ID/items/ID'],
    ['DELETE', '/v1/conversations/CONVERSATION/items/ID'],
    ['GET', '/v1/conversations/CONVERSATION/items?after=ID'],
    ['GET', '/v1/chat/completions/ID'],
    ['GET', '/v1/chat/completions/ID/messages'],
    ['GET', '/v1/chat/completions?after=ID'],
    ['GET', '/v1/files/ID/content'],
    ['GET', '/v1/files?after=ID'],
    ['POST', '/v1/uploads/ID/cancel'],
    ['GET', '/v1/batches/ID'],
    ['GET', '/v1/batches?after=ID'],
    ['GET', '/v1/messages/batches/ID'],
    ['GET', '/v1/messages/batches?after_id=ID'],
    ['GET', '/v1/messages/batches?before_id=ID'],
    ['GET', '/v1/videos/ID/content'],
    ['GET', '/v1/videos?after=ID'],
    ['GET', '/v1/models/ID'],
    ['GET', '/v1beta/models/ID'],
    ['GET', '/media/ID?expires=ID&signature=ID'],
  ])('%s %s', async (method, path) => {
    for (const id of encoded) {
      const filled = path.replaceAll(/\bID\b/g, id).replace('CONVERSATION', conversation);
      const response = await send(method, filled);
      expect([400, 403, 404], `${filled}: ${response.status}`).toContain(response.status);
    }
  });

  it.each<[string, (id: string) => object]>([
    ['/v1/responses', (id) => ({ model: 'sandbox/chat', input: 'Hello', previous_response_id: id })],
    ['/v1/responses', (id) => ({ model: 'sandbox/chat', input: 'Hello', conversation: id })],
    ['/v1/responses', (id) => ({ model: 'sandbox/chat', input: 'Hello', conversation: { id } })],
    ['/v1/responses/compact', (id) => ({ model: 'sandbox/chat', input: 'Hello', previous_response_id: id })],
    ['/v1/batches', (id) => ({ input_file_id: id, endpoint: '/v1/responses', completion_window: '24h' })],
    ['/v1/uploads/UPLOAD/complete', (id) => ({ part_ids: [id] })],
    ['/v1/feedback', (id) => ({ request_id: id, name: 'helpful', value: true })],
    ['/v1/videos/ID/remix', () => ({ prompt: 'Again' })],
  ])('in the body of %s', async (path, body) => {
    for (const id of texts) {
      const filled = path.replace('UPLOAD', upload).replace('ID', encodeURIComponent(id.toWellFormed()));
      const response = await send('POST', filled, body(id));
      expect([400, 404], `${filled}: ${response.status}`).toContain(response.status);
      expect(await response.json()).toMatchObject({ error: { message: expect.any(String) } });
    }
  });
});
