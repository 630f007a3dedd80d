import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';
import { replayingProviders } from './recordings.ts';

let upstream: FakeProvider;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startFakeProvider();
  gateway = await startGateway({ openai: upstream.url, providers: replayingProviders(upstream.url) });
});

afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

async function refused(path: string, body: object): Promise<unknown> {
  const before = upstream.requests.length;
  const response = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(404);
  expect(upstream.requests.length).toBe(before);
  return response.json();
}

const text = { type: 'text', text: 'What is it?' };
const file = (file_id: string) => ({ type: 'file', file: { file_id } });

describe('on a connection that accounts share, a chat cannot name', () => {
  it.each(
    ['openai/m', 'gemini/gemini-2.5-pro', 'anthropic/claude-sonnet-4-5'].flatMap((model) => [
      [model, 'a file', file('file-of-somebody'), 'messages[0].content[1].file.file_id'],
      [model, 'an object of a bucket', file('gs://operator/secret.pdf'), 'messages[0].content[1].file.file_id'],
      [
        model,
        'the data of an uploaded file',
        { type: 'file', file: { file_data: 'https://generativelanguage.googleapis.com/v1beta/files/abc' } },
        'messages[0].content[1].file.file_data',
      ],
    ]),
  )('of %s %s', async (model, _what, part, param) => {
    const answer = await refused('/v1/chat/completions', {
      model,
      messages: [{ role: 'user', content: [text, part] }],
    });
    expect(answer).toMatchObject({ error: { code: 'not_found', param } });
  });

  it.each([
    ['a cached content', { cached_content: 'cachedContents/abc' }],
    ['one within', { extra_body: { google: { cachedContent: 'cachedContents/abc' } } }],
    ['a file search store', { google: { tools: [{ fileSearch: { fileSearchStoreNames: ['fileSearchStores/a'] } }] } }],
  ])('of Google’s own members %s', async (_what, members) => {
    const messages = [{ role: 'user', content: 'Hello' }];
    await refused('/v1/chat/completions', { model: 'gemini/gemini-2.5-pro', messages, ...members });
  });
});

describe('on a connection that accounts share, an id of the provider’s form is not found in a member that is not known', () => {
  const messages = [{ role: 'user', content: 'Hello' }];
  const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
  it.each<[string, object, string]>([
    [
      '/v1/chat/completions',
      { model: 'openai/m', messages: [...messages, { role: 'assistant', audio: { id: 'mine' } }, ...messages] },
      'messages[1].audio.id',
    ],
    ['/v1/chat/completions', { model: 'openai/m', messages, new: { id: 'file-6F2ksmvXxt4Vdoq' } }, 'new.id'],
    ['/v1/messages', { model: 'anthropic/claude', max_tokens: 9, messages, new: 'file_011CNha8iCJcU1wX' }, 'new'],
    ['/v1beta/models/gemini/gemini-2.5-pro:generateContent', { contents, new: ['files/abc'] }, 'new[0]'],
  ])('%s', async (path, body, param) => {
    expect(JSON.stringify(await refused(path, body))).toContain(param);
  });
});
