import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anthropicError } from '../../../harness/anthropic-schema.ts';
import { json, pieces } from '../../../harness/fake-provider.ts';
import { secret } from '../../../harness/gateway.ts';
import { recordings } from '../../gateway/recordings.ts';
import { recording, replayDocument } from '../replay.ts';
import { account, cut, startVertex, type VertexGateway } from './vertex.ts';

const models = '/v1/projects/my-project/locations/europe-west1/publishers/anthropic/models';
const model = 'google-vertex/claude-sonnet-4-5@20250929';
const hello = { max_tokens: 50, messages: [{ role: 'user' as const, content: 'Hello' }] };
const ofAnthropic = recordings.filter(({ provider, name }) => provider === 'anthropic' && !/error/.test(name));
/** Recorded from broken servers. */
const broken = /spliced|duplicate/;

let vertex: VertexGateway;

beforeAll(async () => {
  const limits = { requestsPerMinute: Infinity, tokensPerMinute: Infinity, requestsPerDay: Infinity, concurrency: 100 };
  vertex = await startVertex({ options: { ...account, anthropic_betas: 'new-beta-2027-01-01' } }, { key: { limits } });
});
afterAll(() => vertex.close());

function post(body: object | string, headers: Record<string, string> = {}, path = '/v1/messages'): Promise<Response> {
  return fetch(`${vertex.gateway.url}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': secret, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

function eventBytes(lines: string): Buffer {
  const events = lines.split('\n').filter((line) => line.trim() !== '');
  return Buffer.from(events.map((data) => `event: ${JSON.parse(data).type}\ndata: ${data}\n\n`).join(''));
}

/** Some recordings have the responses of several requests, one after the other. */
function responsesIn(lines: string): string[] {
  return lines.split(/(?<=\{"type":"message_stop"[^\n]*\n)/).filter((response) => response.trim() !== '');
}

describe('a request of the Messages API to Vertex AI', () => {
  it.each(ofAnthropic.filter(({ isStream, name }) => isStream && !broken.test(name)))(
    'is answered byte for byte as a stream: $name',
    async ({ name }) => {
      for (const lines of responsesIn(recording(name))) {
        const bytes = eventBytes(lines);
        vertex.answerWith(pieces(cut(bytes, name.length), 'end', 'text/event-stream; charset=utf-8'));
        const response = await post({ model, stream: true, ...hello });
        expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
        expect(vertex.calls().at(-1)?.path).toBe(`${models}/claude-sonnet-4-5@20250929:streamRawPredict`);
      }
    },
  );

  it.each(ofAnthropic.filter(({ isStream }) => !isStream))(
    'is answered byte for byte as a document: $name',
    async ({ name }) => {
      vertex.answerWith(replayDocument(recording(name)));
      const response = await post({ model, ...hello });
      expect(await response.text()).toBe(recording(name));
      expect(vertex.calls().at(-1)?.path).toBe(`${models}/claude-sonnet-4-5@20250929:rawPredict`);
    },
  );

  it('arrives with its values unchanged in the envelope of Vertex AI', async () => {
    vertex.answerWith(replayDocument(recording('anthropic/anthropic-text.json')));
    const members = `"max_tokens":9,"system":[{"type":"text", "text":"é","cache_control":{"type":"ephemeral"}}],"messages":[ {"role":"user","content":"x"}],"new_member":{"b":1.0}`;
    const response = await post(`{"model":"${model}",${members}}`, {
      'anthropic-version': '2023-06-01',
      'x-app': 'cli',
    });
    expect(response.status).toBe(200);
    const received = vertex.calls().at(-1);
    expect(received?.body).toBe(`{${members},"anthropic_version":"vertex-2023-10-16"}`);
    expect(received?.headers).toMatchObject({
      host: 'europe-west1-aiplatform.googleapis.com',
      authorization: 'Bearer the-token',
    });
    for (const name of ['x-api-key', 'anthropic-version', 'anthropic-beta', 'x-app'])
      expect(received?.headers).not.toHaveProperty(name);
    const { usage } = JSON.parse(recording('anthropic/anthropic-text.json'));
    expect(vertex.gateway.settled().at(-1)).toMatchObject({
      model,
      protocol: 'messages',
      input_tokens: usage.input_tokens,
      output_tokens: usage.output_tokens,
      estimated: false,
    });
  });

  it('has the betas that Vertex AI and the connection accept; the others are named', async () => {
    vertex.answerWith(replayDocument(recording('anthropic/anthropic-text.json')));
    const names = [
      'claude-code-20250219',
      'context-1m-2025-08-07',
      'advanced-tool-use-2025-11-20',
      'new-beta-2027-01-01',
      'tool-search-tool-2025-10-19',
      'a beta',
    ];
    const response = await post({ model, anthropic_beta: ['x'], ...hello }, { 'anthropic-beta': names.join(', ') });
    expect(response.headers.get('x-sluice-dropped-params')).toBe('anthropic-beta:claude-code-20250219, anthropic-beta');
    const received = vertex.calls().at(-1);
    expect(received?.headers['anthropic-beta']).toBe(
      'context-1m-2025-08-07,tool-search-tool-2025-10-19,new-beta-2027-01-01',
    );
    expect(received?.json).not.toHaveProperty('anthropic_beta');
  });

  it('is counted by Vertex AI, whose path does not name the model', async () => {
    const answer = '{"input_tokens": 21}';
    vertex.answerWith(json(200, answer));
    const body = { model, messages: hello.messages };
    const counted = await post(body, { 'anthropic-beta': 'claude-code-20250219' }, '/v1/messages/count_tokens');
    expect(await counted.text()).toBe(answer);
    expect(counted.headers.get('x-sluice-estimated')).toBeNull();
    expect(vertex.calls().at(-1)).toMatchObject({
      path: `${models}/count-tokens:rawPredict`,
      json: { ...body, model: 'claude-sonnet-4-5@20250929', anthropic_version: 'vertex-2023-10-16' },
    });
    vertex.answerWith(json(404, {}));
    const estimated = await post(body, {}, '/v1/messages/count_tokens');
    expect(estimated.headers.get('x-sluice-estimated')).toBe('input_tokens');
  });

  it.each([
    ['Anthropic’s', { type: 'error', error: { type: 'invalid_request_error', message: 'max_tokens: too many' } }],
    ['Google’s', [{ error: { code: 400, message: 'max_tokens: too many', status: 'INVALID_ARGUMENT' } }]],
  ])('has errors in %s envelope as errors of its own protocol', async (_whose, body) => {
    vertex.answerWith(json(400, body));
    const response = await post({ model, ...hello });
    expect(response.status).toBe(400);
    expect(anthropicError.parse(await response.json()).error).toMatchObject({
      type: 'invalid_request_error',
      message: 'max_tokens: too many',
    });
  });

  it('is sent and read by Anthropic’s SDK, streamed and not', async () => {
    const client = new Anthropic({ apiKey: secret, baseURL: vertex.gateway.url, maxRetries: 0 });
    vertex.answerWith(pieces([eventBytes(recording('anthropic/anthropic-json-tool.1.chunks.txt'))], 'end'));
    const streamed = await client.beta.messages
      .stream({ model, betas: ['context-1m-2025-08-07'], ...hello })
      .finalMessage();
    expect(streamed.content.length).toBeGreaterThan(0);
    expect(vertex.calls().at(-1)?.headers['anthropic-beta']).toBe('context-1m-2025-08-07');
    vertex.answerWith(replayDocument(recording('anthropic/anthropic-text.json')));
    const message = await client.messages.create({ model, ...hello });
    expect(message.content).toEqual(JSON.parse(recording('anthropic/anthropic-text.json')).content);
  });

  it('may not name a file on a connection that accounts share', async () => {
    const before = vertex.calls().length;
    const source = { type: 'file', file_id: 'file_011CNha8iCJcU1wXNR6q4V8w' };
    const messages = [{ role: 'user', content: [{ type: 'document', source }] }];
    expect((await post({ model, max_tokens: 5, messages })).status).toBe(404);
    expect(vertex.calls().length).toBe(before);
  });

  it('is converted for Google’s models', async () => {
    vertex.answerWith(replayDocument(recording('gemini/google-text.json')));
    const response = await post({ model: 'google-vertex/gemini-3-pro', ...hello });
    expect(await response.json()).toMatchObject({ type: 'message', role: 'assistant' });
    expect(vertex.calls().at(-1)?.path).toMatch(/publishers\/google\/models\/gemini-3-pro:generateContent$/);
  });
});

describe('a request with a beta that Vertex AI does not accept', () => {
  it('is refused on routes with strict parameters', async () => {
    const config = 'routes:\n  strict:\n    parameters: strict\n    targets: [google-vertex/claude-sonnet-4-5]\n';
    const strict = await startVertex({}, { config });
    try {
      const response = await fetch(`${strict.gateway.url}/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': secret, 'content-type': 'application/json', 'anthropic-beta': 'files-api-2025-04-14' },
        body: JSON.stringify({ model: 'strict', ...hello }),
      });
      expect(response.status).toBe(400);
      expect(anthropicError.parse(await response.json()).error.message).toContain('files-api-2025-04-14');
      expect(strict.calls()).toEqual([]);
    } finally {
      await strict.close();
    }
  });
});
