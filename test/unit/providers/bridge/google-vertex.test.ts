import { generateKeyPairSync } from 'node:crypto';
import { connect } from 'node:net';
import type { buildConnector } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { SettingsError, type ConnectionSettings } from '../../../../src/providers/contract.ts';
import { openConnection } from '../../../../src/providers/registry.ts';
import { json, startFakeProvider, type Script } from '../../../harness/fake-provider.ts';
import { replayStream } from '../replay.ts';
import { hello, startWithProvider, completeMessage, type GatewayWithProvider } from './gateway-with-provider.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const account = {
  project: 'my-project',
  location: 'europe-west1',
  client_email: 'sluice@my-project.iam.gserviceaccount.com',
  // As an environment variable contains it.
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().replaceAll('\n', '\\n'),
};
const weather = { type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } };

const gemini = (parts: unknown[]): string =>
  JSON.stringify({
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3, thoughtsTokenCount: 2, totalTokenCount: 10 },
  });

const claudeStream = [
  { type: 'message_start', message: { id: 'msg_1', model: 'claude', usage: { input_tokens: 5, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'sig' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'redacted_thinking', data: 'sealed' } },
  { type: 'content_block_stop', index: 1 },
  { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 'c1', name: 'weather', input: {} } },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } },
  { type: 'content_block_stop', index: 2 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
].map((event) => JSON.stringify(event));

let open: GatewayWithProvider | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

/** All sockets, also those for tokens, lead to the fake provider. */
async function vertex(script: Script, settings: Partial<ConnectionSettings> = {}): Promise<GatewayWithProvider> {
  const tokens: Script = (request, response) =>
    request.path === '/token'
      ? json(200, { access_token: 'the-token', expires_in: 3_600 })(request, response)
      : script(request, response);
  const upstream = await startFakeProvider(tokens);
  const dial: buildConnector.connector = (_options, callback) => {
    const socket = connect(Number(new URL(upstream.url).port), '127.0.0.1', () => callback(null, socket));
  };
  const given = { apiKey: undefined, baseUrl: undefined, options: account, dial, ...settings };
  const { close, ...staged } = await startWithProvider('google-vertex', script, given);
  open = {
    ...staged,
    upstream,
    close: async () => {
      await close();
      await upstream.close();
    },
  };
  return open;
}

describe('Google Vertex AI', () => {
  it('sends Gemini’s call signatures back in its own format, with a service account’s token', async () => {
    const call = { functionCall: { name: 'weather', args: { city: 'Rome' } }, thoughtSignature: 'call-signature' };
    const { upstream, client } = await vertex(replayStream(gemini([call])));
    const model = 'google-vertex/gemini-3-pro';
    const asked = { model, messages: hello, tools: [weather] };
    const message = await completeMessage(await client.chat.completions.create({ ...asked, stream: true }));
    const [{ id } = { id: '' }] = message.tool_calls ?? [];
    expect(message.reasoning_details).toEqual([
      { type: 'reasoning.encrypted', format: 'google-gemini-v1', id, data: 'call-signature' },
    ]);
    upstream.answerWith(json(200, gemini([{ text: 'Sunny' }])));
    const last = await client.chat.completions.create({
      ...asked,
      messages: [...hello, message, { role: 'tool', tool_call_id: id, content: '30 degrees' }],
      seed: 3,
    });
    expect(last.choices[0]?.message.content).toBe('Sunny');
    expect(last.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 });
    const [token, first, second, ...more] = upstream.requests;
    expect(token).toMatchObject({ path: '/token', headers: { host: 'oauth2.googleapis.com' } });
    expect(first?.headers).toMatchObject({
      host: 'europe-west1-aiplatform.googleapis.com',
      authorization: 'Bearer the-token',
    });
    expect(first?.path).toMatch(
      /^\/v1beta1\/projects\/my-project\/locations\/europe-west1\/publishers\/google\/models\/gemini-3-pro:streamGenerateContent/,
    );
    expect(second?.headers.authorization).toBe('Bearer the-token');
    expect(second?.json).toMatchObject({
      contents: [
        { role: 'user' },
        { role: 'model', parts: [{ ...call, thoughtSignature: 'call-signature' }] },
        { role: 'user', parts: [{ functionResponse: { name: 'weather' } }] },
      ],
      generationConfig: { seed: 3 },
    });
    expect(more).toEqual([]);
  });

  it('sends Claude’s signed reasoning back', async () => {
    const { upstream, client } = await vertex(replayStream(claudeStream.join('\n')));
    const model = 'google-vertex/claude-sonnet-4-5@20250929';
    const asked = { model, messages: hello, tools: [weather], max_tokens: 100 };
    const message = await completeMessage(await client.chat.completions.create({ ...asked, stream: true }));
    expect(message.reasoning_details).toEqual([
      { type: 'reasoning.text', format: 'anthropic-claude-v1', text: 'Hm', signature: 'sig' },
      { type: 'reasoning.encrypted', format: 'anthropic-claude-v1', data: 'sealed' },
    ]);
    await client.chat.completions.create({
      ...asked,
      stream: true,
      messages: [...hello, message, { role: 'tool', tool_call_id: 'c1', content: '30 degrees' }],
    });
    const last = upstream.requests.at(-1);
    expect(last?.path).toBe(
      '/v1/projects/my-project/locations/europe-west1/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict',
    );
    expect(last?.headers.authorization).toBe('Bearer the-token');
    expect(last?.json).toMatchObject({
      anthropic_version: 'vertex-2023-10-16',
      max_tokens: 100,
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm', signature: 'sig' },
            { type: 'redacted_thinking', data: 'sealed' },
            { type: 'tool_use', id: 'c1', name: 'weather', input: { a: 1 } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1' }] },
      ],
    });
  });

  it('uses express mode with an API key, without Claude models', async () => {
    const express = { apiKey: 'express-key', options: {} };
    const { upstream, client } = await vertex(json(200, gemini([{ text: 'Hi' }])), express);
    const { choices } = await client.chat.completions.create({ model: 'google-vertex/gemini-3-pro', messages: hello });
    expect(choices[0]?.message.content).toBe('Hi');
    expect(upstream.requests[0]).toMatchObject({
      path: '/v1/publishers/google/models/gemini-3-pro:generateContent',
      headers: { host: 'aiplatform.googleapis.com', 'x-goog-api-key': 'express-key' },
    });
    await expect(
      client.chat.completions.create({ model: 'google-vertex/claude-sonnet-4-5', messages: hello }),
    ).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
  });

  it('relays images that the model generated', async () => {
    const picture = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };
    const { client } = await vertex(json(200, gemini([{ text: 'Here' }, picture])));
    const { choices } = await client.chat.completions.create({ model: 'google-vertex/gemini-3-pro', messages: hello });
    expect(choices[0]?.message).toHaveProperty('images', [
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
    ]);
  });

  it('counts audio and image tokens, which the package does not report', async () => {
    const answer = {
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: 600,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 42 },
          { modality: 'AUDIO', tokenCount: 300 },
          { modality: 'IMAGE', tokenCount: 258 },
        ],
        candidatesTokenCount: 1_130,
        candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_120 }],
        totalTokenCount: 1_730,
      },
    };
    const { client } = await vertex(json(200, JSON.stringify(answer)));
    const { usage } = await client.chat.completions.create({ model: 'google-vertex/gemini-3-pro', messages: hello });
    expect(usage).toMatchObject({
      prompt_tokens_details: { audio_tokens: 300, image_tokens: 258 },
      completion_tokens_details: { image_tokens: 1_120 },
    });
  });

  it('reports a rejected token as a credentials error', async () => {
    const { client, upstream } = await vertex(json(200, gemini([{ text: 'Hi' }])));
    upstream.answerWith(json(400, { error: 'invalid_grant', error_description: 'Invalid JWT' }));
    await expect(
      client.chat.completions.create({ model: 'google-vertex/gemini-3-pro', messages: hello }),
    ).rejects.toMatchObject({ status: 502, code: 'provider_credentials' });
  });

  it.each([
    [{}, /needs the option `client_email`/],
    [{ ...account, private_key: 'no key' }, /`private_key` must be/],
    [{ ...account, location: 'evil.example/' }, /the option `location`/],
    [{ ...account, project: '../x' }, /the option `project`/],
  ])('names the missing settings of a connection: %#', (options, message) => {
    const settings = { id: 'v', apiKey: undefined, baseUrl: undefined, connectTimeoutMs: 60_000, options };
    expect(() => openConnection('google-vertex', settings)).toThrow(message);
    expect(() => openConnection('google-vertex', settings)).toThrow(SettingsError);
  });
});
