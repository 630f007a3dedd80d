import { APIError, type OpenAI } from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { SettingsError } from '../../../../src/providers/contract.ts';
import { openConnection } from '../../../../src/providers/registry.ts';
import { json, pieces, type Script } from '../../../harness/fake-provider.ts';
import { hello, startWithProvider, completeMessage, type GatewayWithProvider } from './gateway-with-provider.ts';
import { frame, replayFrames } from '../../../harness/aws-event-stream.ts';

const model = 'amazon-bedrock/anthropic.claude-sonnet-4-20250514-v1:0';
const weather = {
  type: 'function' as const,
  function: { name: 'weather', description: 'The weather', parameters: { type: 'object', properties: {} } },
};

let open: GatewayWithProvider | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

async function bedrock(
  script: Script,
  settings: Parameters<typeof startWithProvider>[2] = {},
): Promise<GatewayWithProvider> {
  open = await startWithProvider('amazon-bedrock', script, settings);
  return open;
}

const answer = (content: unknown[], stopReason = 'end_turn'): Script =>
  json(200, {
    output: { message: { role: 'assistant', content } },
    stopReason,
    usage: {
      inputTokens: 10,
      outputTokens: 5,
      totalTokens: 30,
      cacheReadInputTokens: 8,
      cacheWriteInputTokens: 7,
    },
  });

const event = (value: unknown): string => JSON.stringify(value);

const signedCall = [
  event({ messageStart: { role: 'assistant' } }),
  event({ contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent: { text: 'Let me ' } } } }),
  event({ contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent: { text: 'look' } } } }),
  event({ contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent: { signature: 'sig+/=' } } } }),
  event({ contentBlockStop: { contentBlockIndex: 0 } }),
  event({ contentBlockDelta: { contentBlockIndex: 1, delta: { reasoningContent: { data: 'sealed-data' } } } }),
  event({ contentBlockStop: { contentBlockIndex: 1 } }),
  event({ contentBlockDelta: { contentBlockIndex: 2, delta: { reasoningContent: { redactedContent: 'c2Vh' } } } }),
  event({ contentBlockDelta: { contentBlockIndex: 2, delta: { reasoningContent: { redactedContent: 'bGVk' } } } }),
  event({ contentBlockStop: { contentBlockIndex: 2 } }),
  event({ contentBlockStart: { contentBlockIndex: 3, start: { toolUse: { toolUseId: 'call-1', name: 'weather' } } } }),
  event({ contentBlockDelta: { contentBlockIndex: 3, delta: { toolUse: { input: '{"city":' } } } }),
  event({ contentBlockDelta: { contentBlockIndex: 3, delta: { toolUse: { input: '"Rome"}' } } } }),
  event({ contentBlockStop: { contentBlockIndex: 3 } }),
  event({ messageStop: { stopReason: 'tool_use' } }),
  event({ metadata: { usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 } } }),
].join('\n');

const signedCallDocument = [
  { reasoningContent: { reasoningText: { text: 'Let me look', signature: 'sig+/=' } } },
  { reasoningContent: { redactedReasoning: { data: 'sealed-data' } } },
  { reasoningContent: { redactedContent: 'c2VhbGVk' } },
  { toolUse: { toolUseId: 'call-1', name: 'weather', input: { city: 'Rome' } } },
];

describe('Amazon Bedrock', () => {
  it.each([true, false])('receives its signed reasoning with a tool’s result, streamed: %s', async (streamed) => {
    const { upstream, client } = await bedrock(
      streamed ? replayFrames(signedCall) : answer(signedCallDocument, 'tool_use'),
    );
    const asked = { model, messages: hello, tools: [weather] };
    const message = streamed
      ? await completeMessage(await client.chat.completions.create({ ...asked, stream: true }))
      : (await client.chat.completions.create(asked)).choices[0]?.message;
    expect(message?.tool_calls).toEqual([
      { id: 'call-1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
    ]);
    expect(message).toHaveProperty('reasoning_details', [
      { type: 'reasoning.text', format: 'bedrock-v1', text: 'Let me look', signature: 'sig+/=' },
      { type: 'reasoning.encrypted', format: 'bedrock-v1', data: 'redactedData:sealed-data' },
      { type: 'reasoning.encrypted', format: 'bedrock-v1', data: 'redactedContent:c2VhbGVk' },
    ]);
    if (message === undefined) throw new Error('no message came');
    upstream.answerWith(answer([{ text: 'Sunny' }]));
    const last = await client.chat.completions.create({
      ...asked,
      messages: [...hello, message, { role: 'tool', tool_call_id: 'call-1', content: '30 degrees' }],
    });
    expect(last.choices[0]?.message.content).toBe('Sunny');
    expect(upstream.requests[1]?.json.messages).toEqual([
      { role: 'user', content: [{ text: 'Hello' }] },
      {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'Let me look', signature: 'sig+/=' } } },
          { reasoningContent: { redactedReasoning: { data: 'sealed-data' } } },
          { reasoningContent: { redactedContent: 'c2VhbGVk' } },
          { toolUse: { toolUseId: 'call-1', name: 'weather', input: { city: 'Rome' } } },
        ],
      },
      { role: 'user', content: [{ toolResult: { toolUseId: 'call-1', content: [{ text: '30 degrees' }] } }] },
    ]);
  });

  it('counts cache reads and writes as input', async () => {
    const { client } = await bedrock(answer([{ text: 'Hi' }]));
    const { usage } = await client.chat.completions.create({ model, messages: hello });
    expect(usage).toMatchObject({
      prompt_tokens: 25,
      completion_tokens: 5,
      total_tokens: 30,
      prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 7 },
    });
  });

  it('receives requests in its own format', async () => {
    const { upstream, client } = await bedrock(answer([{ text: 'Hi' }]));
    const picture = 'iVBORw0KGgo=';
    await client.chat.completions.create({
      model,
      messages: [
        { role: 'system', content: 'Be brief' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } },
            { type: 'file', file: { filename: 'notes.txt', file_data: 'data:text/plain,a%20note' } },
          ],
        },
        { role: 'developer', content: 'And polite' },
      ],
      max_completion_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      stop: ['END'],
      tools: [weather],
      tool_choice: { type: 'function', function: { name: 'weather' } },
      parallel_tool_calls: false,
      service_tier: 'flex',
    });
    const [request] = upstream.requests;
    expect(request?.path).toBe('/v1/model/anthropic.claude-sonnet-4-20250514-v1%3A0/converse');
    expect(request?.headers.authorization).toBe('Bearer provider-key');
    expect(request?.headers).not.toHaveProperty('accept-encoding');
    expect(request?.json).toMatchObject({
      system: [{ text: 'Be brief' }, { text: 'And polite' }],
      messages: [
        {
          role: 'user',
          content: [
            { text: 'What is this?' },
            { image: { format: 'png', source: { bytes: picture } } },
            { document: { format: 'txt', source: { bytes: Buffer.from('a note').toString('base64') } } },
          ],
        },
      ],
      inferenceConfig: { maxTokens: 100, temperature: 0.5, topP: 0.9, stopSequences: ['END'] },
      serviceTier: { type: 'flex' },
      additionalModelRequestFields: {
        tool_choice: { type: 'tool', name: 'weather', disable_parallel_tool_use: true },
      },
      toolConfig: { tools: [{ toolSpec: { name: 'weather' } }] },
    });
  });

  it('receives earlier tool calls as text in a request without tools', async () => {
    const { upstream, client } = await bedrock(answer([{ text: 'Hi' }]));
    const call = { id: 'c', type: 'function' as const, function: { name: 'weather', arguments: '{"city":"Rome"}' } };
    await client.chat.completions.create({
      model,
      messages: [
        ...hello,
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c', content: 'Sunny' },
      ],
    });
    expect(upstream.requests[0]?.json.messages).toEqual([
      { role: 'user', content: [{ text: 'Hello' }] },
      { role: 'assistant', content: [{ text: '[called weather with {"city":"Rome"}]' }] },
      { role: 'user', content: [{ text: '[weather returned: Sunny]' }] },
    ]);
  });

  it('receives requests signed with an access key', async () => {
    const { upstream, client } = await bedrock(answer([{ text: 'Hi' }]), {
      apiKey: undefined,
      options: { region: 'eu-west-1', access_key_id: 'AKID', secret_access_key: 'secret', session_token: 'session' },
    });
    await client.chat.completions.create({ model, messages: hello });
    const headers = upstream.requests[0]?.headers;
    expect(headers?.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-west-1\/bedrock\/aws4_request/,
    );
    expect(headers?.['x-amz-security-token']).toBe('session');
  });

  it('ignores events of unknown types', async () => {
    const lines = [
      event({ somethingNew: { contentBlockIndex: 0 } }),
      event({ contentBlockDelta: { contentBlockIndex: 0, delta: { hologram: { depth: 3 } } } }),
      event({ contentBlockDelta: { contentBlockIndex: 1, delta: { text: 'Hi' } } }),
      event({ messageStop: { stopReason: 'end_turn' } }),
    ].join('\n');
    const { client } = await bedrock(replayFrames(lines));
    const stream = await client.chat.completions.create({ model, messages: hello, stream: true });
    expect((await completeMessage(stream)).content).toBe('Hi');
  });

  it.each([
    ['throttlingException', 429],
    ['serviceUnavailableException', 503],
    ['internalServerException', 502],
    ['validationException', 400],
  ])('fails a stream that begins with %s with status %i', async (name, status) => {
    const { client } = await bedrock(replayFrames(event({ [name]: { message: 'because of this' } })));
    const error = await client.chat.completions
      .create({ model, messages: hello, stream: true })
      .then(completeMessage, (refused: unknown) => refused)
      .catch((broken: unknown) => broken);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status, message: expect.stringContaining('because of this') });
  });

  it('reports an exception within a stream as an error', async () => {
    const text = frame(event({ contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'Hi' } } }));
    const broken = frame(event({ modelStreamErrorException: { message: 'the model fell over' } }));
    const { client } = await bedrock(pieces([text, broken], 'end', 'application/vnd.amazon.eventstream'));
    const stream = await client.chat.completions.create({ model, messages: hello, stream: true });
    await expect(completeMessage(stream)).rejects.toThrow('the model fell over');
  });

  it.each(['end', 'cut'] as const)('never takes a stream that breaks off for a whole one: %s', async (then) => {
    const text = frame(event({ contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'Hi' } } }));
    const { client, gateway } = await bedrock(pieces([text], then, 'application/vnd.amazon.eventstream'));
    const stream = await client.chat.completions.create({ model, messages: hello, stream: true });
    await expect(completeMessage(stream)).rejects.toBeInstanceOf(APIError);
    expect(await gateway.settledCount(1)).toMatchObject([{ status: 'failed', error_code: 'provider_stream_cut' }]);
  });

  it('does not relay content that cannot be decoded', async () => {
    const garbage = Buffer.from('\0\0\0\x14 a secret that is no message');
    const { client } = await bedrock(pieces([garbage], 'end', 'application/vnd.amazon.eventstream'));
    const error = await client.chat.completions
      .create({ model, messages: hello, stream: true })
      .then(completeMessage)
      .catch((broken: unknown) => broken);
    expect(error).toMatchObject({ code: 'provider_invalid_response' });
    expect(String(error)).not.toContain('secret');
  });

  it.each<[Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>, string]>([
    [{ response_format: { type: 'json_object' } }, 'response_format'],
    [{ seed: 7 }, 'seed'],
    [{ presence_penalty: 1 }, 'presence_penalty'],
    [{ temperature: 1.5 }, 'temperature'],
    [{ reasoning_effort: 'high', top_p: 0.5 }, 'top_p'],
    [{ n: 2 }, 'n'],
  ])('drops and reports unsupported parameters: %o', async (request, name) => {
    const { gateway, client } = await bedrock(answer([{ text: 'Hi' }]));
    const { response } = await client.chat.completions
      .create({ model, messages: hello, ...request, stream: false })
      .withResponse();
    expect(response.headers.get('x-sluice-dropped-params')).toBe(name);
    expect(gateway.settled()).toMatchObject([{ status: 'succeeded' }]);
  });

  it.each([
    [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }, 'image_url.url'],
    [{ type: 'image_url', image_url: { url: 'data:image/tiff;base64,AAAA' } }, 'image_url.url'],
    [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }, 'input_audio'],
    [{ type: 'file', file: { file_id: 'file-1' } }, 'file.file_id', 404],
    [{ type: 'file', file: { file_data: 'AAAA' } }, 'file.file_data'],
  ])('rejects unsupported content before anything is sent: %o', async (part, at, status = 400) => {
    const { upstream, client } = await bedrock(answer([{ text: 'Hi' }]));
    const request = Object.assign({ model, messages: hello }, { messages: [{ role: 'user', content: [part] }] });
    await expect(client.chat.completions.create(request)).rejects.toMatchObject({
      status,
      param: `messages[0].content[0].${at}`,
    });
    expect(upstream.requests).toHaveLength(0);
  });

  it('names the missing settings of a connection', () => {
    const nothing = { id: 'b', apiKey: undefined, baseUrl: undefined, connectTimeoutMs: 60_000, options: {} };
    const refused = (settings: Partial<typeof nothing> & { options?: Record<string, string> }, message: RegExp) =>
      expect(() => openConnection('amazon-bedrock', { ...nothing, ...settings })).toThrow(message);
    refused({}, /needs an API key, or the options `access_key_id`/);
    refused({ options: { access_key_id: 'a', region: 'r' } }, /needs both options/);
    refused({ options: { access_key_id: 'a', secret_access_key: 'b' } }, /needs the option `region`/);
    refused({ options: { access_key_id: 'a', secret_access_key: 'b', region: 'evil.example/' } }, /lower-case letters/);
    expect(() => openConnection('amazon-bedrock', nothing)).toThrow(SettingsError);
  });
});
