import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventIdOf } from '../../../../src/gateway/event-id.ts';
import { toGlobalId } from '../../../../src/graphql/relay/global-id.ts';
import { wavTone } from '../../../harness/audio-samples.ts';
import { newAccount, type TestAccount } from '../../../harness/shared-server.ts';

let account: TestAccount;
let other: TestAccount;

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })).optional(),
});

const env = { SLUICE_STORE_CONTENT: 'on' };

beforeAll(async () => {
  [account, other] = await Promise.all([newAccount(env), newAccount(env)]);
});
afterAll(() => Promise.all([account.dispose(), other.dispose()]));

async function ask(query: string, variables: object = {}, of = account) {
  const response = await fetch(`${of.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${of.apiKey}` },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = answerSchema.parse(await response.json());
  return { data: data ?? {}, code: errors?.[0]?.extensions.code ?? null };
}

/** Sends a request. @returns the ID of its usage log, and its response as a text */
async function send(path: string, body: object | FormData, of = account): Promise<{ id: string; text: string }> {
  const isForm = body instanceof FormData;
  const response = await fetch(`${of.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${of.apiKey}`, ...(!isForm && { 'content-type': 'application/json' }) },
    body: isForm ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const eventId = eventIdOf(response.headers.get('x-request-id') ?? '') ?? '';
  return { id: toGlobalId('UsageLog', eventId), text };
}

const contentQuery = `query ($id: ID!) { usageLog(id: $id) {
  status content { state level request response isComplete error { code message } redactions { name count } }
} }`;

async function contentOf(id: string, of = account) {
  await expect.poll(async () => (await ask(contentQuery, { id }, of)).data.usageLog).not.toBeNull();
  const { data } = await ask(contentQuery, { id }, of);
  return data.usageLog.content;
}

const prompt = 'What is a sluice?';
const image = `data:image/png;base64,${Buffer.alloc(3_000, 7).toString('base64')}`;

describe('content of text generation', () => {
  const messages = [{ role: 'user', content: prompt }];
  const protocols: readonly (readonly [name: string, path: string, body: object])[] = [
    ['chat completions', '/v1/chat/completions', { model: 'sandbox/chat', messages }],
    ['responses', '/v1/responses', { model: 'sandbox/chat', input: prompt }],
    ['messages', '/v1/messages', { model: 'sandbox/chat', max_tokens: 100, messages }],
    ['completions', '/v1/completions', { model: 'sandbox/chat', prompt }],
  ];

  it.each(protocols)('is logged for %s, streamed or not', async (_name, path, body) => {
    for (const stream of [false, true]) {
      const sent = { ...body, stream };
      const { id, text } = await send(path, sent);
      const content = await contentOf(id);
      expect(content).toMatchObject({ state: 'STORED', level: 'FULL', isComplete: true, error: null });
      expect(JSON.stringify(content.request)).toContain(prompt);
      const logged = JSON.stringify(content.response);
      expect(logged).toContain('This is the sandbox');
      expect(logged).not.toContain('delta');
      if (!stream) expect(content.response).toEqual(JSON.parse(text));
    }
  });

  it('is logged for Gemini, streamed or not', async () => {
    const body = { contents: [{ role: 'user', parts: [{ text: prompt }] }] };
    for (const method of ['generateContent', 'streamGenerateContent?alt=sse', 'streamGenerateContent']) {
      const { id } = await send(`/v1beta/models/sandbox%2Fchat:${method}`, body);
      const content = await contentOf(id);
      expect(content).toMatchObject({ state: 'STORED', isComplete: true, request: body });
      expect(JSON.stringify(content.response)).toContain('This is the sandbox');
      expect(content.response).toHaveProperty('candidates');
    }
  });

  it('has images by reference', async () => {
    const parts = [
      { type: 'text', text: prompt },
      { type: 'image_url', image_url: { url: image } },
    ];
    const { id } = await send('/v1/chat/completions', {
      model: 'sandbox/chat',
      messages: [{ role: 'user', content: parts }],
    });
    const text = JSON.stringify((await contentOf(id)).request);
    expect(text).toContain('[media:image/png; 3000 bytes; sha256:');
    expect(text).not.toContain(image.slice(-100));
  });

  it('is logged with the error of a request that failed', async () => {
    const { id } = await send('/v1/chat/completions', { model: 'sandbox/chat', messages: 'no list' });
    expect(await contentOf(id)).toMatchObject({
      state: 'STORED',
      request: { messages: 'no list' },
      response: null,
      isComplete: false,
      error: { code: expect.any(String), message: expect.any(String) },
    });
  });
});

describe('content of other capabilities', () => {
  it.each([
    ['embeddings', '/v1/embeddings', { model: 'sandbox/embedding', input: prompt }],
    ['images', '/v1/images/generations', { model: 'sandbox/image', prompt }],
    ['speech', '/v1/audio/speech', { model: 'sandbox/speech', input: prompt, voice: 'alloy' }],
    ['moderations', '/v1/moderations', { model: 'sandbox/moderation', input: prompt }],
    ['rerank', '/v1/rerank', { model: 'sandbox/rerank', query: prompt, documents: ['a', 'b'] }],
    ['videos', '/v1/videos', { model: 'sandbox/video', prompt }],
  ])('is logged for %s', async (_name, path, body) => {
    const { id } = await send(path, body);
    const content = await contentOf(id);
    expect(content).toMatchObject({ state: 'STORED', request: body, isComplete: true });
    expect(content.response).not.toBeNull();
  });

  it('has the fields of a form, and files by reference', async () => {
    const form = new FormData();
    form.set('model', 'sandbox/transcription');
    form.set('prompt', prompt);
    form.set('file', new File([new Uint8Array(wavTone(1))], 'speech.wav', { type: 'audio/wav' }));
    const { id } = await send('/v1/audio/transcriptions', form);
    expect((await contentOf(id)).request).toEqual({
      model: 'sandbox/transcription',
      prompt,
      file: {
        filename: 'speech.wav',
        content: expect.stringMatching(/^\[media:audio\/wav; \d+ bytes; sha256:[0-9a-f]{64}\]$/),
      },
    });
  });
});

describe('logged content', () => {
  const chat = (content: string) => ({ model: 'sandbox/chat', messages: [{ role: 'user', content }] });

  it('cannot be read or deleted by another account', async () => {
    const { id } = await send('/v1/chat/completions', chat(prompt));
    expect(await contentOf(id)).toMatchObject({ state: 'STORED' });
    const { data } = await ask(contentQuery, { id }, other);
    expect(data.usageLog).toBeNull();
    const deletion = 'mutation ($id: ID!) { deleteLoggedContent(id: $id) }';
    expect(await ask(deletion, { id }, other)).toMatchObject({ code: 'not_found' });
    expect(await contentOf(id)).toMatchObject({ state: 'STORED' });
  });

  it('is unreadable once it is deleted, and the audit log says so', async () => {
    const { id } = await send('/v1/chat/completions', chat(prompt));
    expect(await contentOf(id)).toMatchObject({ state: 'STORED' });
    const deletion = 'mutation ($id: ID!) { deleteLoggedContent(id: $id) }';
    expect((await ask(deletion, { id })).data).toEqual({ deleteLoggedContent: id });
    expect(await contentOf(id)).toMatchObject({ state: 'DELETED', request: null, response: null });
    expect(await ask(deletion, { id })).toMatchObject({ code: 'not_found' });
    const { data } = await ask('{ auditLog(first: 5) { edges { node { action } } } }');
    expect(JSON.stringify(data)).toContain('logged_content.deleted');
  });

  it('is not on disk as a text', async () => {
    const secret = 'crown-jewels-2187';
    const { id } = await send('/v1/chat/completions', { ...chat(`Keep ${secret}`), stream: true });
    expect(JSON.stringify(await contentOf(id))).toContain(secret);
    const names = await readdir(account.dataDir, { recursive: true, withFileTypes: true });
    const files = names.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const found: string[] = [];
    for (const file of files) {
      const bytes = await readFile(file).catch(() => Buffer.alloc(0));
      if (bytes.includes(secret)) found.push(file);
    }
    expect(files.length).toBeGreaterThan(0);
    expect(found).toEqual([]);
  });
});
