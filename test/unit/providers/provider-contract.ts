import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import OpenAI, { APIError } from 'openai';
import { describe, expect, it } from 'vitest';
import type { SluiceError } from '../../../src/errors/index.ts';
import type { UsageRecord } from '../../../src/gateway/usage/usage-record.ts';
import type { GenerationRequest } from '../../../src/protocols/canonical/generation-request.ts';
import { openConnection } from '../../../src/providers/registry.ts';
import { completion, refusal, startFakeProvider, stream, type Script } from '../../harness/fake-provider.ts';
import { secret, startGateway } from '../../harness/gateway.ts';
import { requestAtOwnUrl } from './requested-url.ts';
import {
  readByOracle,
  recording,
  replayDocument,
  replayStream,
  readThroughSluice,
  type ResponseContent,
} from './replay.ts';

/** A provider whose API is OpenAI's, and what is particular in it. */
export interface ProviderUnderTest {
  /** Its id, and the name of its folder of recordings in `test/fixtures/providers`, if it has one. */
  readonly id: string;
  /** Where its documentation states that chats are sent; null for a server without a URL of its own. */
  readonly url: string | null;
  /** A model of its AI SDK package, for the same bytes; of the package for OpenAI-compatible servers if absent. */
  readonly oracle?: (baseUrl: string) => LanguageModelV4;
  /** Converts the oracle's result to OpenAI's terms, where they differ; state why. */
  readonly inOpenAiTerms?: (result: ResponseContent, recording: string) => ResponseContent;
  /** Files of the folder that are not responses to chat requests. */
  readonly except?: readonly string[];
  /** The header with the key; `authorization: Bearer` if absent. */
  readonly header?: readonly [name: string, value: string];
  /** Parameters that it does not support, each with a value that is not a default. */
  readonly refuses?: Readonly<Record<string, unknown>>;
  /** Parameters that have another name there, each with a value. */
  readonly renames?: Readonly<Record<string, readonly [theirs: string, value: unknown]>>;
  /** False if it is not sent `stream_options`. */
  readonly supportsStreamOptions?: boolean;
}

/** Tests that every OpenAI-compatible provider must pass. */
export function describeProvider(provider: ProviderUnderTest): void {
  const recordings = recordingsOf(provider);
  describe(provider.id, () => {
    for (const name of recordings) itReadsRecordingsLikeItsOracle(provider, name);
    if (provider.url !== null) itSendsChatsTo(provider.url, provider);
    itRelaysOpenAiResponses(provider);
    itSendsSupportedParameters(provider);
    itReturnsErrors(provider);
  });
}

function itReadsRecordingsLikeItsOracle(provider: ProviderUnderTest, name: string): void {
  it(`returns the content of ${name} that the AI SDK reads`, async () => {
    const streamed = name.endsWith('.chunks.txt');
    const body = recording(`${provider.id}/${name}`);
    const script = streamed ? replayStream(body, { done: true }) : replayDocument(body);
    let metered: UsageRecord | undefined;
    const onMetered = (record: UsageRecord): void => void (metered = record);
    const { received, ...result } = await readThroughSluice({ provider: provider.id, script, streamed, onMetered });
    const oracle = await readByOracle(provider.oracle ?? anyServer, script, streamed);
    expect(result).toEqual(provider.inOpenAiTerms?.(oracle, name) ?? oracle);
    expect(result.text + result.reasoning + JSON.stringify(result.toolCalls)).not.toBe('[]');
    expect(metered).toMatchObject({
      status: 'succeeded',
      estimated: false,
      input_tokens: result.usage.input,
      output_tokens: result.usage.output,
      cached_tokens: result.usage.cached,
      // Included in the output, even where a server counts them separately.
      reasoning_tokens: Math.min(result.usage.reasoning, result.usage.output),
      finish_reason: result.finish,
    });
    expect(received).toHaveLength(1);
  });
}

function itSendsChatsTo(url: string, { id }: ProviderUnderTest): void {
  it(`sends chats to ${url}`, async () => {
    const { host, request } = await requestAtOwnUrl(id);
    expect(`${new URL(url).protocol}//${host}${request.path}`).toBe(url);
    expect(request.headers.authorization).toBe('Bearer provider-key');
  });
}

function itRelaysOpenAiResponses(provider: ProviderUnderTest): void {
  it.each([true, false])('relays a response in OpenAI’s format unchanged, streamed: %s', async (streamed) => {
    const script = streamed ? plainStream : completion();
    const { received, ...result } = await readThroughSluice({ provider: provider.id, script, streamed });
    expect(result).toEqual({
      text: streamed ? 'Hello there' : 'Hello from the provider',
      reasoning: '',
      toolCalls: [],
      finish: 'stop',
      usage: { input: 12, output: 5, cached: 4, reasoning: 2 },
    });
    const [name, value] = provider.header ?? ['authorization', 'Bearer provider-key'];
    expect(received[0]?.headers[name]).toBe(value);
    expect(received[0]?.path).toBe('/v1/chat/completions');
    expect(received[0]?.json.model).toBe('recorded-model');
    const options = streamed && provider.supportsStreamOptions !== false ? { include_usage: true } : undefined;
    expect(received[0]?.json.stream_options).toEqual(options);
  });
}

function itSendsSupportedParameters(provider: ProviderUnderTest): void {
  const refused = Object.entries(provider.refuses ?? {});
  it.each(refused)('drops and reports %s, or rejects it in strict mode', async (name, value) => {
    const { received, ...result } = await readThroughSluice({
      provider: provider.id,
      script: completion(),
      streamed: false,
      request: { [name]: value, temperature: 0.5 },
    });
    expect(result.finish).toBe('stop');
    expect(received[0]?.json).not.toHaveProperty(name);
    expect(received[0]?.json.temperature).toBe(0.5);
    const asked = { messages: [{ role: 'user', content: 'Hello' }], [name]: value } as const;
    expect(await dropped(provider.id, asked)).toEqual([name]);
    await expect(dropped(provider.id, asked, 'strict')).rejects.toMatchObject({
      code: 'unsupported_parameter',
      param: name,
      status: 400,
    });
  });

  it.each(Object.entries(provider.renames ?? {}))(
    'sends %s under the provider’s name',
    async (name, [theirs, value]) => {
      const request = { [name]: value };
      const { received } = await readThroughSluice({
        provider: provider.id,
        script: completion(),
        streamed: false,
        request,
      });
      expect(received[0]?.json).toMatchObject({ [theirs]: value });
      expect(received[0]?.json).not.toHaveProperty(name);
    },
  );

  it('relays unknown members', async () => {
    const request = { temperature: 0.25, top_k: 7, vendor_option: { deep: [1, 'two'] } };
    const { received } = await readThroughSluice({
      provider: provider.id,
      script: completion(),
      streamed: false,
      request,
    });
    expect(received[0]?.json).toMatchObject(request);
  });
}

function itReturnsErrors(provider: ProviderUnderTest): void {
  it.each([
    [400, refusal(400, 'No such tool'), { status: 400, message: '400 No such tool' }],
    [401, refusal(401, 'Bad key'), { status: 502, code: 'provider_credentials' }],
    [429, refusal(429, 'Slow down', { 'retry-after': '7' }), { status: 429, message: '429 Slow down' }],
    [500, refusal(500, 'Broken'), { status: 502 }],
  ])('returns status %i in OpenAI’s error format', async (_status, script, expected) => {
    const error = await failure(provider.id, script);
    expect(error).toMatchObject(expected);
    if (expected.status === 429) expect(error.headers?.get('retry-after')).toBe('7');
  });
}

/** OpenAI's stream, with usage whether or not it is requested. */
const plainStream: Script = (request, response) =>
  stream(['Hello', ' there'])({ ...request, json: { stream_options: { include_usage: true } } }, response);

async function failure(provider: string, script: Script): Promise<APIError> {
  const upstream = await startFakeProvider(script);
  const gateway = await startGateway({ providers: { [provider]: upstream.url } });
  try {
    const client = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    await client.chat.completions.create({ model: `${provider}/recorded-model`, messages });
  } catch (error) {
    if (error instanceof APIError) return error;
    throw error;
  } finally {
    await gateway.close();
    await upstream.close();
  }
  throw new Error('no error was returned');
}

/** The parameters that the provider's connection drops from a request. @throws SluiceError */
async function dropped(
  provider: string,
  request: GenerationRequest,
  parameters: 'drop' | 'strict' = 'drop',
): Promise<readonly string[]> {
  const upstream = await startFakeProvider();
  const settings = { apiKey: 'key', baseUrl: upstream.url, connectTimeoutMs: 60_000, options: {} };
  const connection = openConnection(provider, { id: provider, ...settings });
  const context = { model: 'm', request, stream: false, wantsUsage: false, requestId: 'req_1', parameters };
  try {
    return await new Promise<readonly string[]>((resolve, reject) => {
      const names: readonly string[] = connection.chat(
        { ...context, body: Buffer.from(JSON.stringify({ model: 'x', ...request })) },
        {
          onConnecting: () => undefined,
          onHead: () => undefined,
          onData: () => undefined,
          onParts: () => undefined,
          onResult: () => undefined,
          onEnd: () => resolve(names),
          onFailure: (error: SluiceError) => reject(error),
        },
      );
    });
  } finally {
    await connection.close();
    await upstream.close();
  }
}

function anyServer(baseUrl: string): LanguageModelV4 {
  return createOpenAICompatible({ name: 'any', baseURL: baseUrl, apiKey: 'key', includeUsage: true }).chatModel('m');
}

function recordingsOf({ id, except = [] }: ProviderUnderTest): string[] {
  const folder = fileURLToPath(new URL(`../../fixtures/providers/${id}`, import.meta.url));
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((file) => /\.(chunks\.txt|json)$/.test(file) && !except.includes(file));
}
