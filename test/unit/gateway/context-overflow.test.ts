import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contextOverflow, isContextOverflow } from '../../../src/protocols/canonical/context-overflow.ts';
import { chunk, completion, json, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';
import { readEventData } from '../../harness/read-events.ts';
import { unstoredResponses } from '../../harness/unstored-responses.ts';

let upstream: FakeProvider;
let larger: FakeProvider;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startFakeProvider();
  larger = await startFakeProvider(completion());
  const limits = { requestsPerMinute: Infinity, tokensPerMinute: Infinity, requestsPerDay: Infinity, concurrency: 100 };
  const connections = ['server', 'mistral', 'together', 'cohere', 'anthropic', 'gemini', 'amazon-bedrock'];
  gateway = await startGateway({
    providers: {
      ...Object.fromEntries(connections.map((id) => [id, upstream.url])),
      responses: { baseUrl: upstream.url, options: { api: 'responses' } },
      larger: larger.url,
    },
    config: 'routes:\n  grows: { targets: [server/small], larger: larger/large }\n',
    key: { limits },
    rest: unstoredResponses,
  });
});

afterAll(async () => {
  await gateway.close();
  await upstream.close();
  await larger.close();
});

interface Wording {
  readonly server: string;
  readonly model: string;
  readonly status: number;
  readonly body: unknown;
  readonly message: string;
  /** Of the prompt and of the model; null where the wording has none. */
  readonly numbers: readonly [tokens: number, maximum: number] | null;
}

function openAi(
  server: string,
  message: string,
  numbers: Wording['numbers'],
  { status = 400, type = 'invalid_request_error', model = 'server/m', ...members }: Record<string, unknown> = {},
): Wording {
  const body = { error: { message, type, ...members } };
  return { server, model: String(model), status: Number(status), body, message, numbers };
}

const wordings: readonly Wording[] = [
  openAi(
    'OpenAI',
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.",
    [9000, 8192],
    { code: 'context_length_exceeded', param: 'messages' },
  ),
  openAi(
    'OpenAI, Responses',
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    null,
  ),
  openAi(
    'OpenAI, a limit of the model',
    'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 509178 tokens. Please reduce the length of the messages.',
    [509_178, 272_000],
  ),
  openAi(
    'vLLM',
    "This model's maximum context length is 4096 tokens. However, you requested 5096 tokens (4096 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.",
    [5096, 4096],
    { type: 'BadRequestError', param: null, code: 400 },
  ),
  {
    ...openAi('vLLM, without an envelope', '', [5000, 4096]),
    message:
      "This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens. Please reduce the length of the input messages.",
    body: {
      object: 'error',
      message:
        "This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens. Please reduce the length of the input messages.",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  },
  openAi(
    'vLLM, no room for the output',
    "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens (2000 > 4096 - 2104).",
    [4104, 4096],
    { type: 'BadRequestError', code: 400 },
  ),
  openAi(
    'vLLM, a prompt',
    'The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.',
    [5000, 4096],
    { type: 'BadRequestError', code: 400 },
  ),
  openAi(
    'llama.cpp',
    'request (13392 tokens) exceeds the available context size (8192 tokens), try increasing it',
    [13_392, 8192],
    { type: 'exceed_context_size_error', code: 400, n_prompt_tokens: 13_392, n_ctx: 8192 },
  ),
  openAi(
    'llama.cpp, earlier',
    'the request exceeds the available context size. try increasing the context size',
    null,
    {
      status: 500,
      type: 'server_error',
      code: 500,
    },
  ),
  openAi(
    'Mistral',
    'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    [40_000, 32_768],
    { type: 'invalid_request_prompt', code: '3051', model: 'mistral/m' },
  ),
  {
    ...openAi(
      'xAI',
      "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      [537_812, 131_072],
    ),
    body: {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
  },
  openAi('Groq', 'Please reduce the length of the messages or completion.', null, {
    code: 'context_length_exceeded',
    param: 'messages',
  }),
  openAi(
    'Cerebras',
    'Please reduce the length of the messages or completion. Current length is 8274 while limit is 8192',
    [8274, 8192],
  ),
  openAi(
    'Together',
    "The input (516368 tokens) is longer than the model's context length (262144 tokens).",
    [516_368, 262_144],
    { model: 'together/m' },
  ),
  openAi(
    'text-generation-inference',
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 20 `max_new_tokens`',
    [5020, 4096],
    { status: 422, type: 'validation' },
  ),
  openAi('Fireworks', 'The prompt is too long: 140871, model maximum context length: 131071', [140_871, 131_071]),
  openAi(
    'DeepSeek',
    "This model's maximum context length is 131072 tokens. However, you requested 137923 tokens (129923 in the messages, 8000 in the completion). Please reduce the length of the messages or completion.",
    [137_923, 131_072],
    { code: 'invalid_request_error' },
  ),
  openAi(
    'OpenRouter',
    'This endpoint\'s maximum context length is 131072 tokens. However, you requested about 200000 tokens (190000 of text input, 10000 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
    [200_000, 131_072],
    { code: 400 },
  ),
  openAi('Ollama', 'prompt too long; exceeded max context length by 1200 tokens', null, { type: 'api_error' }),
  openAi(
    'SGLang',
    "Requested token count exceeds the model's maximum context length of 131072 tokens. You requested a total of 132000 tokens: 130000 tokens from the input messages and 2000 tokens for the completion.",
    [132_000, 131_072],
    { type: 'BadRequest', code: 400 },
  ),
  openAi(
    'Moonshot',
    'Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)',
    [300_000, 262_144],
  ),
  openAi('Z.ai', 'Prompt exceeds max length', null, { code: '1261' }),
  openAi('MiniMax', 'invalid params, context window exceeds limit (2013)', null, { code: 'bad_request_error' }),
  openAi('Alibaba', 'Range of input length should be [1, 129024]', null, { code: 'invalid_parameter_error' }),
  openAi('GitHub Models', 'Request body too large for gpt-4o model. Max size: 8000 tokens.', null, {
    status: 413,
    code: 'tokens_limit_reached',
  }),
  {
    ...openAi('Cohere', '', [4292, 4081], { model: 'cohere/m' }),
    message:
      'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292. Try using a shorter prompt.',
    body: {
      message:
        'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292. Try using a shorter prompt.',
    },
  },
  {
    ...openAi('Anthropic', 'prompt is too long: 213462 tokens > 200000 maximum', [213_462, 200_000], {
      model: 'anthropic/m',
    }),
    body: {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 213462 tokens > 200000 maximum' },
    },
  },
  {
    ...openAi('Anthropic, no room for the output', '', [209_573, 200_000], { model: 'anthropic/m' }),
    message:
      'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
    body: {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message:
          'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
      },
    },
  },
  {
    ...openAi('Gemini', '', [1_196_265, 1_048_575], { model: 'gemini/m' }),
    message: 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
    body: {
      error: {
        code: 400,
        message: 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
        status: 'INVALID_ARGUMENT',
      },
    },
  },
  {
    ...openAi('Vertex AI', '', [1_196_265, 1_048_576], { model: 'gemini/m' }),
    message:
      'Unable to submit request because the input token count is 1196265 but model only supports up to 1048576. Reduce the input token count and try again.',
    body: {
      error: {
        code: 400,
        message:
          'Unable to submit request because the input token count is 1196265 but model only supports up to 1048576. Reduce the input token count and try again.',
        status: 'INVALID_ARGUMENT',
      },
    },
  },
  {
    ...openAi('Bedrock', 'Input is too long for requested model.', null, { model: 'amazon-bedrock/m' }),
    body: { message: 'Input is too long for requested model.' },
  },
  {
    ...openAi('Bedrock, Nova', '', null, { model: 'amazon-bedrock/m' }),
    message:
      'Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.',
    body: {
      message:
        'Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.',
    },
  },
];

interface ClientProtocol {
  readonly name: string;
  post(model: string, stream: boolean): Promise<Response>;
  /** The error of an error response, or of the last event of a stream. */
  errorIn(document: Parsed): Parsed;
  check(error: Parsed, { message, numbers }: Wording): void;
}

type Parsed = ReturnType<typeof JSON.parse>;

function send(path: string, body: object): Promise<Response> {
  return fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const messages = [{ role: 'user', content: 'Hello' }];

function wordingOf(server: string): Wording {
  return wordings.find((wording) => wording.server === server) ?? expect.fail(`no wording of ${server}`);
}

function namedEvent(data: unknown): string {
  return `event: ${Object(data).type}\ndata: ${JSON.stringify(data)}\n\n`;
}

function googleEvent(data: unknown): string {
  return `data: ${JSON.stringify(data)}\r\n\r\n`;
}

/** The events of a stream whose last one the provider sends once the client has received the first ones. */
async function eventsOf(
  protocol: ClientProtocol,
  model: string,
  begun: readonly string[],
  last: string,
): Promise<Parsed[]> {
  const received = Promise.withResolvers<void>();
  upstream.answerWith(async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(begun.join(''));
    await received.promise;
    response.end(last);
  });
  const response = await protocol.post(model, true);
  received.resolve();
  expect(response.status).toBe(200);
  return readEventData((await response.text()).replace(/data: \[DONE\]\n\n$/, ''));
}

function checkOpenAi(error: Parsed, { message, numbers }: Wording): void {
  expect(error.code).toBe('context_length_exceeded');
  if (numbers === null) return expect(error.message).toBe(message);
  const [tokens, maximum] = numbers;
  if (/maximum context length is \d/.test(message)) return expect(error.message).toBe(message);
  expect(error.message).toBe(
    `This model's maximum context length is ${maximum} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
  );
}

const protocols: readonly ClientProtocol[] = [
  {
    name: 'chat',
    post: (model, stream) => send('/v1/chat/completions', { model, messages, stream }),
    errorIn: ({ error }) => error,
    check: checkOpenAi,
  },
  {
    name: 'responses',
    post: (model, stream) => send('/v1/responses', { model, input: 'Hello', stream, store: false }),
    errorIn: ({ error, response }) => error ?? response.error,
    check: checkOpenAi,
  },
  {
    name: 'messages',
    post: (model, stream) => send('/v1/messages', { model, messages, stream, max_tokens: 100 }),
    errorIn: ({ error }) => error,
    check: (error, { message, numbers }) => {
      const text = message.startsWith('prompt is too long') ? message : `prompt is too long: ${message}`;
      expect(error).toEqual({
        type: 'invalid_request_error',
        message: numbers === null ? text : `prompt is too long: ${numbers[0]} tokens > ${numbers[1]} maximum`,
      });
    },
  },
  {
    name: 'gemini',
    post: (model, stream) =>
      send(`/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`, {
        contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      }),
    errorIn: ({ error }) => error,
    check: (error, { message, numbers }) => {
      expect(error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' });
      expect(error.message).toBe(
        numbers === null
          ? `The input token count exceeds the maximum number of tokens allowed: ${message}`
          : `The input token count (${numbers[0]}) exceeds the maximum number of tokens allowed (${numbers[1]}).`,
      );
    },
  },
];

const pairs = protocols.flatMap((protocol) =>
  wordings.map((wording) => ({ client: protocol.name, server: wording.server, protocol, wording })),
);

describe('an input that is too long for its model', () => {
  it.each(pairs)(
    'has the code and the words of $client before a response of $server',
    async ({ protocol, wording }) => {
      upstream.answerWith(json(wording.status, wording.body));
      for (const stream of [false, true]) {
        const response = await protocol.post(wording.model, stream);
        expect(response.status).toBe(400);
        protocol.check(protocol.errorIn(await response.json()), wording);
      }
    },
  );

  const within = pairs.filter(({ wording }) => /^(?:server|mistral|together)\//.test(wording.model));
  it.each(within)('has them within a stream of $server for $client', async ({ protocol, wording }) => {
    const { error } = { error: wording.body, ...Object(wording.body) };
    const first = chunk({ role: 'assistant', content: 'Hel' });
    const events = await eventsOf(protocol, wording.model, [first], `data: ${JSON.stringify({ error })}\n\n`);
    protocol.check(protocol.errorIn(events.at(-1)), wording);
  });

  it.each(protocols)('has them within a stream of Anthropic for $name', async (protocol) => {
    const anthropic = wordingOf('Anthropic');
    const message = { id: 'm', type: 'message', role: 'assistant', content: [], model: 'm', stop_reason: null };
    const begun = [
      {
        type: 'message_start',
        message: { ...message, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } },
    ].map(namedEvent);
    const ofAnthropic = await eventsOf(protocol, 'anthropic/m', begun, namedEvent(anthropic.body));
    protocol.check(protocol.errorIn(ofAnthropic.at(-1)), anthropic);
  });

  it.each(protocols)('has them within a stream of Gemini for $name', async (protocol) => {
    const gemini = wordingOf('Vertex AI');
    const candidate = { content: { role: 'model', parts: [{ text: 'Hel' }] }, index: 0 };
    const [first, last] = [googleEvent({ candidates: [candidate] }), googleEvent(gemini.body)];
    const ofGemini = await eventsOf(protocol, 'gemini/m', [first], last);
    protocol.check(protocol.errorIn(ofGemini.at(-1)), gemini);
  });

  it.each(protocols)('has them within a stream of Responses for $name', async (protocol) => {
    const openAiResponses = wordingOf('OpenAI, Responses');
    const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'in_progress', output: [] };
    const delta = {
      type: 'response.output_text.delta',
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      delta: 'Hel',
    };
    const error = { type: 'error', code: null, message: openAiResponses.message, param: null };
    const begun = [{ type: 'response.created', response }, delta].map(namedEvent);
    const last = (await eventsOf(protocol, 'responses/m', begun, namedEvent(error))).at(-1);
    // A relayed stream ends with an event whose members are those of the error.
    protocol.check(protocol.name === 'responses' ? last : protocol.errorIn(last), openAiResponses);
  });

  it.each(wordings.filter(({ model }) => model === 'server/m'))(
    'is sent to the larger model: $server',
    async ({ status, body }) => {
      upstream.answerWith(json(status, body));
      const response = await send('/v1/chat/completions', { model: 'grows', messages });
      expect(response.status).toBe(200);
      expect(larger.requests.at(-1)?.json.model).toBe('large');
    },
  );
});

describe('an error that is not about the context', () => {
  it.each([
    [429, 'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000.'],
    [429, 'Too many tokens, please wait before trying again.'],
    [400, 'max_tokens is too large: 100000. This model supports at most 16384 completion tokens.'],
    [400, "Invalid 'messages[0].content': string too long. Expected a string with maximum length 1048576."],
    [404, "The model's context window is documented elsewhere; maximum context length is 8192 tokens."],
  ])('keeps its status %i and its words: %s', async (status, message) => {
    upstream.answerWith(json(status, { error: { message, type: 'some_error', code: 'some_code' } }));
    const response = await send('/v1/messages', { model: 'server/m', messages, max_tokens: 100 });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { message } });
  });
});

describe('the numbers of a wording', () => {
  it('are left out where they would contradict the error', () => {
    const message = 'prompt is too long: 100 tokens > 200 maximum';
    expect(isContextOverflow(message)).toBe(true);
    expect(contextOverflow(message)).toEqual({ tokens: null, maximum: null });
  });

  it('are read from the members of llama.cpp where its message has none', async () => {
    const message = 'the request exceeds the available context size, try increasing it';
    const error = { code: 400, message, type: 'exceed_context_size_error', n_prompt_tokens: 13_392, n_ctx: 8192 };
    upstream.answerWith(json(400, { error }));
    const response = await send('/v1/messages', { model: 'server/m', messages, max_tokens: 100 });
    expect(await response.json()).toMatchObject({
      error: { message: 'prompt is too long: 13392 tokens > 8192 maximum' },
    });
  });
});
