import Anthropic from '@anthropic-ai/sdk';
import { connect } from 'node:net';
import type { buildConnector } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SettingsError, type ConnectionSettings } from '../../../../src/providers/contract.ts';
import { openConnection } from '../../../../src/providers/registry.ts';
import { anthropicError } from '../../../harness/anthropic-schema.ts';
import { json, pieces, startFakeProvider, type FakeProvider, type Script } from '../../../harness/fake-provider.ts';
import { secret, startGateway, type GatewayOptions, type TestGateway } from '../../../harness/gateway.ts';
import { readEventData } from '../../../harness/read-events.ts';
import { recordings } from '../../gateway/recordings.ts';
import { frame } from '../../../harness/aws-event-stream.ts';
import { cut } from '../google-vertex/vertex.ts';
import { recording, replayDocument } from '../replay.ts';

const name = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0';
const model = `amazon-bedrock/${name}`;
const hello = { max_tokens: 50, messages: [{ role: 'user' as const, content: 'Hello' }] };
const ofAnthropic = recordings.filter(({ provider, name: each }) => provider === 'anthropic' && !/error/.test(each));
/** Recorded from broken servers. */
const broken = /spliced|duplicate/;
const text = 'anthropic/anthropic-text.json';

interface Bedrock {
  readonly upstream: FakeProvider;
  readonly gateway: TestGateway;
  close(): Promise<void>;
}

/** A gateway whose sockets to AWS lead to a fake provider. */
async function startBedrock(
  settings: Partial<ConnectionSettings> = {},
  options: GatewayOptions = {},
): Promise<Bedrock> {
  const upstream = await startFakeProvider();
  const dial: buildConnector.connector = (_options, callback) => {
    const socket = connect(Number(new URL(upstream.url).port), '127.0.0.1', () => callback(null, socket));
  };
  const limits = { requestsPerMinute: Infinity, tokensPerMinute: Infinity, requestsPerDay: Infinity, concurrency: 100 };
  const connection = { options: { region: 'eu-central-1' }, dial, ...settings };
  const providers = { 'amazon-bedrock': connection, ...options.providers };
  const gateway = await startGateway({ key: { limits }, ...options, providers });
  return {
    upstream,
    gateway,
    close: async () => {
      await gateway.close();
      await upstream.close();
    },
  };
}

let bedrock: Bedrock;
let own: Bedrock | null = null;

beforeAll(async () => {
  bedrock = await startBedrock();
});
afterEach(async () => {
  await own?.close();
  own = null;
});
afterAll(() => bedrock.close());

function post(
  body: object | string,
  headers: Record<string, string> = {},
  { path = '/v1/messages', on = bedrock }: { readonly path?: string; readonly on?: Bedrock } = {},
): Promise<Response> {
  return fetch(`${on.gateway.url}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': secret, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const linesOf = (lines: string): string[] => lines.split('\n').filter((line) => line.trim() !== '');

/** The model's events, as `InvokeModelWithResponseStream` wraps them; `p` is padding. */
function framesOf(events: readonly string[]): Buffer {
  const wrapped = events.map((event, index) =>
    frame(JSON.stringify({ chunk: { bytes: Buffer.from(event).toString('base64'), p: 'abcd'.repeat(index % 5) } })),
  );
  return Buffer.concat(wrapped);
}

function sent(events: readonly string[]): string {
  return events.map((data) => `event: ${JSON.parse(data).type}\ndata: ${data}\n\n`).join('');
}

const EVENT_STREAM = 'application/vnd.amazon.eventstream';

function frames(bytes: Buffer, seed = 1, then: 'end' | 'cut' | 'hang' = 'end'): Script {
  return pieces(cut(bytes, seed), then, EVENT_STREAM);
}

/** Some recordings have the responses of several requests, one after the other. */
function responsesIn(lines: string): string[] {
  return lines.split(/(?<=\{"type":"message_stop"[^\n]*\n)/).filter((response) => response.trim() !== '');
}

describe('a request of the Messages API by InvokeModel', () => {
  it.each(ofAnthropic.filter(({ isStream, name: each }) => isStream && !broken.test(each)))(
    'is answered with each event of the stream unchanged: $name',
    async ({ name: each }) => {
      for (const lines of responsesIn(recording(each)).map(linesOf)) {
        bedrock.upstream.answerWith(frames(framesOf(lines), each.length));
        const response = await post({ model, stream: true, ...hello });
        expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
        expect(await response.text()).toBe(sent(lines));
      }
      expect(bedrock.upstream.requests.at(-1)?.path).toBe(
        '/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream',
      );
    },
  );

  it.each(ofAnthropic.filter(({ isStream }) => !isStream))(
    'is answered byte for byte as a document: $name',
    async ({ name: each }) => {
      bedrock.upstream.answerWith(replayDocument(recording(each)));
      expect(await (await post({ model, ...hello })).text()).toBe(recording(each));
    },
  );

  it('arrives with its values unchanged in the envelope of Bedrock', async () => {
    bedrock.upstream.answerWith(replayDocument(recording(text)));
    const members = `"max_tokens":9,"system":[{"type":"text", "text":"é","cache_control":{"type":"ephemeral"}}],"messages":[ {"role":"user","content":"x"}],"new_member":{"b":1.0}`;
    const body = `{"model":"${model}","stream":false,${members}}`;
    expect((await post(body, { 'anthropic-version': '2023-06-01' })).status).toBe(200);
    const received = bedrock.upstream.requests.at(-1);
    expect(received?.path).toBe('/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke');
    expect(received?.body).toBe(`{${members},"anthropic_version":"bedrock-2023-05-31"}`);
    expect(received?.headers).toMatchObject({
      host: 'bedrock-runtime.eu-central-1.amazonaws.com',
      accept: 'application/json',
      authorization: 'Bearer provider-key',
    });
    expect(received?.headers).not.toHaveProperty('anthropic-version');
    const { usage } = JSON.parse(recording(text));
    expect(bedrock.gateway.settled().at(-1)).toMatchObject({
      model,
      protocol: 'messages',
      input_tokens: usage.input_tokens,
      output_tokens: usage.output_tokens,
      estimated: false,
    });
  });

  it('is metered as a stream by its last events', async () => {
    const lines = linesOf(recording('anthropic/anthropic-text.chunks.txt'));
    bedrock.upstream.answerWith(frames(framesOf(lines)));
    const before = bedrock.gateway.settled().length;
    await (await post({ model, stream: true, ...hello })).text();
    const usages = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'message_delta');
    expect((await bedrock.gateway.settledCount(before + 1)).at(-1)).toMatchObject({
      output_tokens: usages.at(-1).usage.output_tokens,
      estimated: false,
    });
  });

  it('has the betas that Bedrock accepts in its body; the others are named', async () => {
    bedrock.upstream.answerWith(replayDocument(recording(text)));
    const betas = 'claude-code-20250219,context-1m-2025-08-07,advanced-tool-use-2025-11-20';
    const response = await post({ model, anthropic_beta: ['x'], ...hello }, { 'anthropic-beta': betas });
    expect(response.headers.get('x-sluice-dropped-params')).toBe('anthropic-beta:claude-code-20250219');
    const received = bedrock.upstream.requests.at(-1);
    expect(received?.json.anthropic_beta).toEqual(['context-1m-2025-08-07', 'tool-search-tool-2025-10-19']);
    expect(received?.headers).not.toHaveProperty('anthropic-beta');
  });

  it('has the betas that its connection adds, and not those that it removes', async () => {
    const anthropicBetas = 'new-2027-01-01, -effort-2025-11-24';
    own = await startBedrock({ options: { region: 'eu-central-1', anthropic_betas: anthropicBetas } });
    own.upstream.answerWith(replayDocument(recording(text)));
    const headers = { 'anthropic-beta': 'effort-2025-11-24,new-2027-01-01' };
    const response = await post({ model, ...hello }, headers, { on: own });
    expect(response.headers.get('x-sluice-dropped-params')).toBe('anthropic-beta:effort-2025-11-24');
    expect(own.upstream.requests.at(-1)?.json.anthropic_beta).toEqual(['new-2027-01-01']);
  });

  it('is sent and read by Anthropic’s SDK, streamed and not', async () => {
    const client = new Anthropic({ apiKey: secret, baseURL: bedrock.gateway.url, maxRetries: 0 });
    bedrock.upstream.answerWith(frames(framesOf(linesOf(recording('anthropic/anthropic-json-tool.1.chunks.txt')))));
    const streamed = await client.messages.stream({ model, ...hello }).finalMessage();
    expect(streamed.content.length).toBeGreaterThan(0);
    bedrock.upstream.answerWith(replayDocument(recording(text)));
    const message = await client.messages.create({ model, ...hello });
    expect(message.content).toEqual(JSON.parse(recording(text)).content);
  });

  it('is converted for other models than Claude', async () => {
    const answer = { output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } }, stopReason: 'end_turn' };
    bedrock.upstream.answerWith(json(200, { ...answer, usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }));
    const response = await post({ model: 'amazon-bedrock/amazon.nova-pro-v1:0', ...hello });
    expect(await response.json()).toMatchObject({ type: 'message', role: 'assistant' });
    expect(bedrock.upstream.requests.at(-1)?.path).toMatch(/\/converse$/);
  });
});

describe('an error of Bedrock', () => {
  it.each([
    [400, { message: 'The model returned the following errors: max_tokens: too many' }, 400, 'max_tokens: too many'],
    [429, { message: 'Too many requests' }, 429, 'Too many requests'],
    [
      400,
      { message: 'Input is too long for requested model.' },
      400,
      'prompt is too long: Input is too long for requested model.',
    ],
    [403, { Message: 'not authorized' }, 502, 'credentials'],
    [424, { message: 'An error while processing the model.' }, 502, 'An error while processing the model.'],
  ])('of status %i is an error of the protocol: %j', async (status, body, expected, message) => {
    bedrock.upstream.answerWith(json(status, body));
    const response = await post({ model, stream: true, ...hello });
    expect(response.status).toBe(expected);
    expect(anthropicError.parse(await response.json()).error.message.toLowerCase()).toContain(message.toLowerCase());
  });

  const start = linesOf(recording('anthropic/anthropic-text.chunks.txt')).slice(0, 1);
  const begun = linesOf(recording('anthropic/anthropic-text.chunks.txt')).slice(0, 4);
  const exception = (kind: string): Buffer => frame(JSON.stringify({ [kind]: { message: 'It went wrong.' } }));

  it.each([
    ['throttlingException', 429, 'rate_limit_error'],
    ['validationException', 400, 'invalid_request_error'],
    ['serviceUnavailableException', 503, 'overloaded_error'],
    ['internalServerException', 502, 'api_error'],
    ['modelStreamErrorException', 502, 'api_error'],
  ])('before the output of a stream has its status: %s', async (kind, status, type) => {
    bedrock.upstream.answerWith(frames(Buffer.concat([framesOf(start), exception(kind)])));
    const response = await post({ model, stream: true, ...hello });
    expect(response.status).toBe(status);
    expect(anthropicError.parse(await response.json()).error.type).toBe(type);
  });

  it('within a stream is its last event', async () => {
    bedrock.upstream.answerWith(frames(Buffer.concat([framesOf(begun), exception('throttlingException')])));
    const response = await post({ model, stream: true, ...hello });
    const body = await response.text();
    expect(body.startsWith(sent(begun))).toBe(true);
    const last = readEventData(body).at(-1);
    expect(last).toMatchObject({ type: 'error', error: { type: 'rate_limit_error', message: 'It went wrong.' } });
  });

  it.each([
    ['ends within a message', framesOf(begun).subarray(0, -3), 'end'],
    ['is cut', framesOf(begun), 'cut'],
    ['ends without its end', framesOf(begun), 'end'],
    ['has a wrong checksum', Buffer.concat([framesOf(begun), framesOf(begun).fill(1, 40, 60)]), 'hang'],
    ['has a chunk that is no JSON', Buffer.concat([framesOf(begun), framesOf(['{'])]), 'hang'],
  ] as const)('is one of a stream that %s', async (_how, bytes, then) => {
    bedrock.upstream.answerWith(frames(bytes, 3, then));
    const events = readEventData(await (await post({ model, stream: true, ...hello })).text());
    expect(events.at(-1)).toMatchObject({ type: 'error' });
    expect(bedrock.gateway.settled().at(-1)).toMatchObject({ status: 'failed' });
  });

  it('is one of a stream in another format', async () => {
    bedrock.upstream.answerWith(json(200, { Output: { __type: 'UnknownOperationException' } }));
    expect((await post({ model, stream: true, ...hello })).status).toBe(502);
  });

  it('before the output of a stream leaves the request to the next target', async () => {
    const config = `routes:\n  any:\n    targets: ['${model}', anthropic/claude-sonnet-4-5]\n`;
    const next = await startFakeProvider(
      pieces([sent(linesOf(recording('anthropic/anthropic-text.chunks.txt')))], 'end'),
    );
    try {
      own = await startBedrock({}, { config, providers: { anthropic: { baseUrl: next.url } } });
      own.upstream.answerWith(frames(Buffer.concat([framesOf(start), exception('internalServerException')])));
      const response = await post({ model: 'any', stream: true, ...hello }, {}, { on: own });
      expect(await response.text()).toBe(sent(linesOf(recording('anthropic/anthropic-text.chunks.txt'))));
      expect(next.requests[0]?.json).toMatchObject({ model: 'claude-sonnet-4-5', stream: true });
    } finally {
      await own?.close();
      own = null;
      await next.close();
    }
  });

  it('closes the provider’s socket once the client disconnects', async () => {
    bedrock.upstream.answerWith(frames(framesOf(begun), 2, 'hang'));
    const before = bedrock.upstream.requests.length;
    const controller = new AbortController();
    const response = await fetch(`${bedrock.gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': secret, 'content-type': 'application/json' },
      body: JSON.stringify({ model, stream: true, ...hello }),
      signal: controller.signal,
    });
    expect(response.status).toBe(200);
    controller.abort();
    await bedrock.upstream.requests[before]?.aborted;
  });
});

describe('tokens of a request to Bedrock', () => {
  const body = { model, messages: hello.messages, system: 'é' };
  const path = '/v1/messages/count_tokens';

  it('are counted by CountTokens, under the name without an inference profile', async () => {
    own = await startBedrock();
    own.upstream.answerWith(json(200, { inputTokens: 21 }));
    const counted = await post(body, {}, { path, on: own });
    expect(await counted.json()).toEqual({ input_tokens: 21 });
    expect(counted.headers.get('x-sluice-estimated')).toBeNull();
    const received = own.upstream.requests.at(-1);
    expect(received?.path).toBe('/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/count-tokens');
    const { input } = JSON.parse(received?.body ?? '');
    expect(JSON.parse(Buffer.from(input.invokeModel.body, 'base64').toString())).toEqual({
      messages: hello.messages,
      system: 'é',
      anthropic_version: 'bedrock-2023-05-31',
      max_tokens: 1,
    });
  });

  it.each([
    ['does not count for the model', json(400, { message: 'The provided model doesn’t support counting tokens' })],
    ['has no number', json(200, {})],
  ])('are estimated where it %s', async (_how, script) => {
    own = await startBedrock();
    own.upstream.answerWith(script);
    const messages = [{ role: 'user', content: 'x'.repeat(400) }];
    const counted = await post({ ...body, messages }, {}, { path, on: own });
    expect(own.upstream.requests).toHaveLength(1);
    expect(counted.status).toBe(200);
    expect(counted.headers.get('x-sluice-estimated')).toBe('input_tokens');
  });
});

describe('Bedrock’s endpoint of the Messages API', () => {
  const events = linesOf(recording('anthropic/anthropic-text.chunks.txt'));

  it.each([
    ['runtime', 'bedrock-runtime.eu-central-1.amazonaws.com', 'bedrock'],
    ['mantle', 'bedrock-mantle.eu-central-1.api.aws', 'bedrock-mantle'],
  ])('%s receives requests and answers byte for byte', async (api, host, service) => {
    own = await startBedrock({ options: { region: 'eu-central-1', messages_api: api } });
    const stream = Buffer.from(sent(events));
    own.upstream.answerWith(pieces(cut(stream, 5), 'end'));
    const request = `{"model":"${model}", "stream":true,"max_tokens":9,"messages":[{"role":"user","content":"é"}],"new":1.0}`;
    const headers = {
      'anthropic-beta': 'claude-code-20250219,context-1m-2025-08-07',
      'anthropic-version': '2027-01-01',
    };
    const response = await post(request, headers, { on: own });
    expect(Buffer.from(await response.arrayBuffer()).equals(stream)).toBe(true);
    expect(response.headers.get('x-sluice-dropped-params')).toBe('anthropic-beta:claude-code-20250219');
    const received = own.upstream.requests.at(-1);
    expect(received?.path).toBe('/anthropic/v1/messages');
    expect(received?.json).toEqual({ ...JSON.parse(request), model: name });
    expect(received?.body).toContain('"new":1.0');
    expect(received?.headers).toMatchObject({
      host,
      'x-api-key': 'provider-key',
      'anthropic-version': '2027-01-01',
      'anthropic-beta': 'context-1m-2025-08-07',
    });
    await own.close();

    const signing = { region: 'eu-central-1', access_key_id: 'AKID', secret_access_key: 's', messages_api: api };
    own = await startBedrock({ apiKey: undefined, options: signing });
    own.upstream.answerWith(replayDocument(recording(text)));
    expect(await (await post({ model, ...hello }, {}, { on: own })).text()).toBe(recording(text));
    expect(own.upstream.requests.at(-1)?.headers.authorization).toMatch(
      new RegExp(`^AWS4-HMAC-SHA256 Credential=AKID/\\d{8}/eu-central-1/${service}/aws4_request, SignedHeaders=.*host`),
    );
  });

  it.each([
    ['runtime', '/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/count-tokens', { inputTokens: 5 }],
    ['mantle', '/anthropic/v1/messages/count_tokens', { input_tokens: 5 }],
  ])('%s counts tokens where it can', async (api, path, answer) => {
    own = await startBedrock({ options: { region: 'eu-central-1', messages_api: api } });
    own.upstream.answerWith(json(200, answer));
    const body = { model, messages: hello.messages };
    const counted = await post(body, {}, { path: '/v1/messages/count_tokens', on: own });
    expect(await counted.json()).toEqual({ input_tokens: 5 });
    expect(own.upstream.requests.at(-1)?.path).toBe(path);
  });

  it('has a name that is checked', () => {
    const options = { region: 'eu-central-1', messages_api: 'converse' };
    const settings = { id: 'b', apiKey: 'k', baseUrl: undefined, connectTimeoutMs: 60_000, options };
    expect(() => openConnection('amazon-bedrock', settings)).toThrow(/the option `messages_api` must be/);
    expect(() => openConnection('amazon-bedrock', settings)).toThrow(SettingsError);
  });
});
