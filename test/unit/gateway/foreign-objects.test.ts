import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';
import { replayingProviders } from './recordings.ts';

let upstream: FakeProvider;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startFakeProvider();
  const completing = { baseUrl: upstream.url, options: { completions: 'native' } };
  const providers = { ...replayingProviders(upstream.url), completing };
  gateway = await startGateway({ openai: upstream.url, providers });
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
    ['/v1/completions', { model: 'completing/m', prompt: 'Hi', new: ['file-6F2ksmvXxt4Vdoq'] }, 'new[0]'],
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

describe('on a connection that accounts share, a member that is not known names an object', () => {
  const token = 'wdg_68a1b2c3d4e5f60718293a4b';
  const messages = [{ role: 'user', content: 'Hello' }];
  const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
  const gemini = '/v1beta/models/gemini/gemini-2.5-pro:generateContent';
  const asked = {
    relayed: [
      ['/v1/chat/completions', { model: 'openai/m', messages }],
      ['/v1/messages', { model: 'anthropic/claude', max_tokens: 9, messages }],
      ['/v1/completions', { model: 'completing/m', prompt: 'Hello' }],
      [gemini, { contents }],
    ],
    converted: [
      ['/v1/chat/completions', { model: 'anthropic/claude-sonnet-4-5', messages }],
      ['/v1/chat/completions', { model: 'gemini/gemini-2.5-pro', messages }],
      ['/v1/completions', { model: 'openai/m', prompt: 'Hello' }],
      ['/v1/chat/completions', { model: 'openai/m', input: 'Hello' }],
    ],
  } as const;
  const all = Object.entries(asked).flatMap(([how, requests]) =>
    requests.map(([path, body]) => [how, path, body] as const),
  );

  it.each(all)('by its name, by its id, and by the form of its value: %s to %s', async (_how, path, body) => {
    for (const [param, members] of [
      ['widget_id', { widget_id: 'mine' }],
      ['widgetIds[0]', { widgetIds: ['mine'] }],
      ['stop_token_ids[0]', path.startsWith('/v1/chat') ? null : { stop_token_ids: ['mine'] }],
      ['widget.id', { widget: { id: 'mine' } }],
      ['widget.handle', { widget: { handle: token } }],
      ['user_metadata.of.container', path === gemini ? null : { user_metadata: { of: { container: 'mine' } } }],
    ] as const)
      if (members !== null) expect(JSON.stringify(await refused(path, { ...body, ...members }))).toContain(param);
  });

  it.each(asked.relayed)('in a hosted tool: %s', async (path, body) => {
    const tools = [{ type: 'widget', name: 'w', widget: { store_id: 'mine' } }];
    if (path !== '/v1/completions' && path !== '/v1/chat/completions')
      expect(JSON.stringify(await refused(path, { ...body, tools }))).toContain('tools[0].widget.store_id');
  });

  it.each(asked.relayed.slice(0, 3))('but not in metadata, users and calls: %s', async (path, body) => {
    upstream.answerWith(json(500, { error: { message: 'It arrived.' } }));
    const before = upstream.requests.length;
    const own = {
      metadata: { user_id: token },
      client_metadata: { session_id: 'mine', turn: { id: token } },
      session_id: 'run-7',
      trace: { trace_id: 'one', parent_span_id: 'two' },
      cache_salt: token,
      stop_token_ids: [1, 2],
    };
    const response = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, ...own, ...(path === '/v1/messages' ? {} : { user: token }) }),
    });
    expect(response.status).not.toBe(404);
    expect(upstream.requests.length).toBeGreaterThan(before);
  });
});

describe('on a connection that accounts share, a legacy completion', () => {
  it.each<[string, object]>([
    ['file_ids[0]', { file_ids: ['mine'] }],
    ['new.vector_store_id', { new: { vector_store_id: 'mine' } }],
    ['container', { container: 'mine' }],
  ])('cannot name an object at the provider: %s', async (param, members) => {
    for (const model of ['completing/m', 'openai/m', 'anthropic/claude-sonnet-4-5']) {
      const answer = await refused('/v1/completions', { model, prompt: 'Hello', ...members });
      expect(answer).toMatchObject({ error: { code: 'not_found', param } });
    }
  });

  it('has prompts, stops and tokens of any form', async () => {
    const choices = [{ text: 'Hi', index: 0, logprobs: null, finish_reason: 'stop' }];
    upstream.answerWith(json(200, { id: 'cmpl-1', object: 'text_completion', created: 1, model: 'm', choices }));
    const before = upstream.requests.length;
    const body = {
      model: 'completing/m',
      prompt: ['file-6F2ksmvXxt4Vdoq', 'resp_1234567890'],
      stop: ['file-6F2ksmvXxt4Vdoq'],
      suffix: 'conv_1234567890',
      metadata: { file_id: 'mine' },
    };
    const response = await fetch(`${gateway.url}/v1/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    expect(upstream.requests).toHaveLength(before + 1);
    expect(upstream.requests.at(-1)?.json).toMatchObject({ prompt: body.prompt, metadata: body.metadata });
  });

  it('names no member twice, and none in other letters', async () => {
    const post = async (members: string): Promise<unknown> => {
      const response = await fetch(`${gateway.url}/v1/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: `{"model":"completing/m","prompt":"Hi",${members}}`,
      });
      return response.json();
    };
    expect(await post('"new":{"file_id":"a","file_id":""}')).toMatchObject({
      error: { code: 'duplicate_parameter', param: 'new.file_id' },
    });
    expect(await post('"File_id":"a"')).toMatchObject({ error: { code: 'misspelled_parameter', param: 'File_id' } });
  });
});
