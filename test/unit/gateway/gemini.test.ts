import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  completion,
  json,
  pieces,
  refusal,
  startFakeProvider,
  type FakeProvider,
} from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';
import { geminiError, geminiModel, geminiResponse, geminiTokenCount } from '../../harness/gemini-schema.ts';
import { readEventData } from '../../harness/read-events.ts';
import { recording, replayDocument } from '../providers/replay.ts';
import { chatContent, givenId, type Content } from './chat-content.ts';
import { recordings, replayingProviders } from './recordings.ts';

let upstream: FakeProvider;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startFakeProvider();
  const limits = { requestsPerMinute: Infinity, tokensPerMinute: Infinity, requestsPerDay: Infinity, concurrency: 100 };
  gateway = await startGateway({ openai: upstream.url, providers: replayingProviders(upstream.url), key: { limits } });
});

afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const hello = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };

function post(path: string, body: object | string = hello, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.url}/v1beta/models/${path}`, {
    method: 'POST',
    headers: { 'x-goog-api-key': secret, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** A recorded stream of Google as bytes: its lines end with CR LF. */
function googleBytes(lines: string): Buffer {
  const events = lines.split('\n').filter((line) => line.trim() !== '');
  return Buffer.from(events.map((data) => `data: ${data}\r\n\r\n`).join(''));
}

/** Pieces of any size. The sizes repeat: a failure can be repeated. */
function cut(bytes: Buffer, seed: number): Buffer[] {
  const parts: Buffer[] = [];
  let random = seed;
  for (let at = 0; at < bytes.length;) {
    random = (random * 48_271) % 2_147_483_647;
    const size = 1 + (random % 1_500);
    parts.push(bytes.subarray(at, at + size));
    at += size;
  }
  return parts;
}

const ofGoogle = recordings.filter(({ provider, name }) => provider === 'gemini' && !name.includes('error'));

describe('a response of a provider that serves the protocol', () => {
  it.each(ofGoogle.filter(({ isStream }) => isStream))('arrives byte for byte as a stream: $name', async ({ name }) => {
    const bytes = googleBytes(recording(name));
    upstream.answerWith(pieces(cut(bytes, name.length), 'end'));
    const response = await post('gemini/gemini-3-pro:streamGenerateContent?alt=sse');
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    expect(upstream.requests.at(-1)?.path).toBe('/v1/models/gemini-3-pro:streamGenerateContent?alt=sse');
  });

  it.each(ofGoogle.filter(({ isStream }) => !isStream))(
    'arrives byte for byte as a document: $name',
    async ({ name }) => {
      upstream.answerWith(replayDocument(recording(name)));
      const response = await post('gemini/gemini-3-pro:generateContent');
      expect(await response.text()).toBe(recording(name));
    },
  );

  it('is requested with the body of the client', async () => {
    upstream.answerWith(replayDocument(recording('gemini/google-text.json')));
    const body = `{"system_instruction":{"parts":[{"text":"é"}]}, "contents":[{"role":"user","parts":[{"text":"x"}]}],"newMember":{"a":1.0},
      "tools":[{"googleSearch":{}},{"codeExecution":{}}]}`;
    const response = await post('gemini%2Fgemini-3-pro:generateContent', body);
    expect(response.status).toBe(200);
    const received = upstream.requests.at(-1);
    expect(received?.path).toBe('/v1/models/gemini-3-pro:generateContent');
    expect(received?.body).toBe(body);
    expect(received?.headers['x-goog-api-key']).toBe('provider-key');
  });

  it('is metered as what the provider reports', async () => {
    const name = 'gemini/google-text.json';
    upstream.answerWith(replayDocument(recording(name)));
    const before = gateway.settled().length;
    await (await post('gemini/gemini-3-pro:generateContent')).text();
    const record = (await gateway.settledCount(before + 1)).at(-1);
    const { usageMetadata: usage } = JSON.parse(recording(name));
    expect(record).toMatchObject({
      input_tokens: usage.promptTokenCount,
      output_tokens: usage.candidatesTokenCount + (usage.thoughtsTokenCount ?? 0),
      estimated: false,
    });
  });

  it('is metered as a stream by its last event', async () => {
    const found = ofGoogle.find(({ isStream, name }) => isStream && recording(name).includes('thoughtsTokenCount'));
    if (found === undefined) return expect.fail('no recording has thoughts');
    const last = recording(found.name).trim().split('\n').at(-1) ?? '';
    const { usageMetadata: usage } = JSON.parse(last);
    upstream.answerWith(pieces([googleBytes(recording(found.name))], 'end'));
    const before = gateway.settled().length;
    await (await post('gemini/gemini-3-pro:streamGenerateContent?alt=sse')).text();
    expect((await gateway.settledCount(before + 1)).at(-1)).toMatchObject({
      input_tokens: usage.promptTokenCount + (usage.toolUsePromptTokenCount ?? 0),
      output_tokens: usage.candidatesTokenCount + usage.thoughtsTokenCount,
      reasoning_tokens: usage.thoughtsTokenCount,
    });
  });
});

const converted = recordings.filter(({ provider }) => provider !== 'gemini');

describe('a response of a provider with another protocol', () => {
  it.each(converted.filter(({ isStream }) => isStream))(
    'has the content of its chat as a stream: $name',
    async ({ name, provider, streamOf }) => {
      upstream.answerWith(streamOf(recording(name)));
      const model = `${provider}/recorded-model`;
      const expected = await chatContent(gateway.url, model, true);
      const response = await post(`${model}:streamGenerateContent?alt=sse`);
      const events = readEventData(await response.text());
      if (expected.error !== null) return expect(events.at(-1)?.error ?? response.status).toBeTruthy();
      const chunks = events.map((event) => geminiResponse.parse(event));
      expect(contentOf(chunks)).toEqual(withStop(expected.content));
    },
  );

  it.each(converted.filter(({ isStream }) => !isStream))(
    'has the content of its chat as a document: $name',
    async ({ name, provider }) => {
      upstream.answerWith(replayDocument(recording(name)));
      const model = `${provider}/recorded-model`;
      const expected = await chatContent(gateway.url, model, false);
      const body: unknown = await (await post(`${model}:generateContent`)).json();
      if (expected.error !== null) return void geminiError.parse(body);
      expect(contentOf([geminiResponse.parse(body)])).toEqual(withStop(expected.content));
    },
  );

  it('is a JSON array without `alt=sse`', async () => {
    const [first] = converted.filter(({ isStream, name }) => isStream && name.startsWith('groq/'));
    if (first === undefined) return expect.fail('no recording');
    upstream.answerWith(first.streamOf(recording(first.name)));
    const response = await post('groq/m:streamGenerateContent');
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    const chunks = z.array(geminiResponse).parse(await response.json());
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.at(-1)?.candidates[0]?.finishReason).toBeDefined();
  });
});

type Chunk = z.infer<typeof geminiResponse>;

function contentOf(chunks: readonly Chunk[]): Content {
  const parts = chunks.flatMap(({ candidates }) => candidates.find(({ index }) => index === 0)?.content.parts ?? []);
  const usage = chunks.at(-1)?.usageMetadata;
  return {
    text: parts.map((part) => ('text' in part && part.thought !== true ? part.text : '')).join(''),
    thinking: parts.map((part) => ('text' in part && part.thought === true ? part.text : '')).join(''),
    calls: parts.flatMap((part) =>
      'functionCall' in part
        ? [{ id: givenId(part.functionCall.id), name: part.functionCall.name, input: part.functionCall.args }]
        : [],
    ),
    stop: chunks.at(-1)?.candidates[0]?.finishReason ?? null,
    output: (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
    input: usage?.promptTokenCount ?? 0,
  };
}

const stops: Readonly<Record<string, string>> = {
  stop: 'STOP',
  tool_calls: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
};

/** With Google's reason. */
function withStop(content: Content): Content {
  return { ...content, stop: stops[content.stop ?? ''] ?? null };
}

describe('an error', () => {
  it.each([
    ['a body that is no JSON', 'openai/m:generateContent', '{', 400, 'INVALID_ARGUMENT'],
    ['no contents', 'openai/m:generateContent', {}, 400, 'INVALID_ARGUMENT'],
    ['a wrong type', 'openai/m:generateContent', { contents: [{ parts: [{ text: 5 }] }] }, 400, 'INVALID_ARGUMENT'],
    [
      'a cached content',
      'openai/m:generateContent',
      { ...hello, cachedContent: 'cachedContents/x' },
      400,
      'INVALID_ARGUMENT',
    ],
    [
      'a cached content of another account',
      'gemini/m:generateContent',
      { ...hello, cachedContent: 'cachedContents/x' },
      404,
      'NOT_FOUND',
    ],
    ['an unknown model', 'nobody/knows:generateContent', hello, 404, 'NOT_FOUND'],
    ['an unknown method', 'openai/m:doSomething', hello, 404, 'NOT_FOUND'],
  ])('for %s has the envelope of the protocol', async (_what, path, body, status, name) => {
    const response = await post(path, body);
    expect(response.status).toBe(status);
    expect(geminiError.parse(await response.json()).error).toMatchObject({ code: status, status: name });
  });

  it.each([
    ['a member that no part has', [{ txt: 'Hi' }], 'contents[0].parts[0]', /"txt".*text, inlineData/],
    ['one beside a text', [{ text: 'Hi' }, { txt: 'you' }], 'contents[0].parts[1]', /"txt".*text, inlineData/],
    ['nothing that a chat has', [{ executableCode: { code: '1' } }], 'contents[0].parts', /no part/],
  ])('names the path of %s, and no provider is called', async (_what, parts, path, message) => {
    const before = upstream.requests.length;
    const response = await post('openai/m:generateContent', { contents: [{ role: 'user', parts }] });
    expect(response.status).toBe(400);
    const { error } = geminiError.parse(await response.json());
    expect(error.message).toContain(`'${path}'`);
    expect(error.message).toMatch(message);
    expect(upstream.requests.length).toBe(before);
  });

  it('for a wrong key has the envelope of the protocol', async () => {
    const response = await post('openai/m:generateContent', hello, { 'x-goog-api-key': 'sk-sluice-wrong' });
    expect(response.status).toBe(401);
    expect(geminiError.parse(await response.json()).error.status).toBe('UNAUTHENTICATED');
  });

  it('of the provider before a stream keeps its status', async () => {
    upstream.answerWith(refusal(429, 'Slow down.'));
    const response = await post('openai/m:streamGenerateContent?alt=sse');
    expect(response.status).toBe(429);
    expect(geminiError.parse(await response.json()).error.status).toBe('RESOURCE_EXHAUSTED');
  });

  it.each(['null', '[]', '"a"', '1'])('refuses the body %s, which no provider is sent', async (body) => {
    const before = upstream.requests.length;
    for (const path of ['openai/m:generateContent', 'gemini/m:generateContent', 'gemini/m:embedContent']) {
      const response = await post(path, body);
      expect(response.status).toBe(400);
      expect(geminiError.parse(await response.json()).error.status).toBe('INVALID_ARGUMENT');
    }
    expect(upstream.requests).toHaveLength(before);
  });

  it('about a context that is too long has the words of the protocol', async () => {
    const message = 'prompt is too long: 1200 tokens > 1000 maximum';
    upstream.answerWith(
      json(400, { error: { message, type: 'invalid_request_error', param: null, code: 'context_length_exceeded' } }),
    );
    const response = await post('openai/m:generateContent');
    expect(geminiError.parse(await response.json()).error.message).toBe(
      'The input token count (1200) exceeds the maximum number of tokens allowed (1000).',
    );
  });
});

describe('a conversation with tools', () => {
  it('reaches a provider of chats as one', async () => {
    upstream.answerWith(completion());
    const response = await post('openai/m:generateContent', {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      tools: [
        {
          functionDeclarations: [
            {
              name: 'look',
              description: 'Looks.',
              parameters: { type: 'OBJECT', properties: { at: { type: 'STRING' } } },
            },
          ],
        },
        { codeExecution: {} },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['look'] } },
      generationConfig: {
        maxOutputTokens: 50,
        topK: 3,
        stopSequences: ['END'],
        responseMimeType: 'application/json',
        responseJsonSchema: { type: 'OBJECT' },
        thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true },
      },
      safetySettings: [],
      contents: [
        { role: 'user', parts: [{ text: 'What is it?' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
        {
          role: 'model',
          parts: [
            { text: 'I look.' },
            { functionCall: { name: 'look', args: { at: 'it' } }, thoughtSignature: 'c2ln' },
          ],
        },
        {
          role: 'user',
          parts: [
            {
              functionResponse: {
                name: 'look',
                response: { output: 'A cat.' },
                parts: [{ inlineData: { mimeType: 'image/jpeg', data: 'BBBB' } }],
              },
            },
          ],
        },
      ],
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-sluice-dropped-params')).toBe(
      'safetySettings, generationConfig.topK, tools[1].codeExecution',
    );
    expect(upstream.requests.at(-1)?.json).toEqual({
      model: 'm',
      max_completion_tokens: 50,
      stop: ['END'],
      reasoning_effort: 'high',
      response_format: { type: 'json_schema', json_schema: { name: 'output', schema: { type: 'object' } } },
      tools: [
        {
          type: 'function',
          function: {
            name: 'look',
            description: 'Looks.',
            parameters: { type: 'object', properties: { at: { type: 'string' } } },
          },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'look' } },
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          ],
        },
        {
          role: 'assistant',
          content: [{ type: 'text', text: 'I look.' }],
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"it"}' } }],
          reasoning_details: [{ type: 'reasoning.encrypted', format: 'google-gemini-v1', id: 'call_1', data: 'c2ln' }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'A cat.' },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/jpeg;base64,BBBB' } }] },
      ],
    });
  });

  it('returns to its provider the signatures that it sent', async () => {
    const name = recordings.find(
      ({ provider, name: each, isStream }) =>
        provider === 'anthropic' && !isStream && recording(each).includes('"signature"'),
    )?.name;
    if (name === undefined) return expect.fail('no recording has a signature');
    upstream.answerWith(replayDocument(recording(name)));
    const first = geminiResponse.parse(await (await post('anthropic/claude-opus-4-5:generateContent')).json());
    const [content] = first.candidates.map((candidate) => candidate.content);
    const results = (content?.parts ?? []).flatMap((part) =>
      'functionCall' in part
        ? [
            {
              functionResponse: {
                id: part.functionCall.id,
                name: part.functionCall.name,
                response: { output: 'Done.' },
              },
            },
          ]
        : [],
    );
    await post('anthropic/claude-opus-4-5:generateContent', {
      contents: [
        ...hello.contents,
        content,
        { role: 'user', parts: results.length > 0 ? results : [{ text: 'Go on.' }] },
      ],
    });
    const signatures = [...recording(name).matchAll(/"signature":\s*"([^"]+)"/g)].map(([, signature]) => signature);
    expect(signatures.length).toBeGreaterThan(0);
    for (const signature of signatures) expect(upstream.requests.at(-1)?.body).toContain(signature);
  });
});

describe('the names of tools', () => {
  const name = `mcp.server:${'create_an_issue_'.repeat(5)}`;
  const call = { functionCall: { id: 'call_1', name, args: {} } };
  const request = {
    tools: [{ functionDeclarations: [{ name, parameters: { type: 'OBJECT' } }, { name: 'look' }] }],
    toolConfig: { functionCallingConfig: { mode: 'VALIDATED', allowedFunctionNames: [name, 'look'] } },
    contents: [
      ...hello.contents,
      { role: 'model', parts: [call] },
      { role: 'user', parts: [{ functionResponse: { id: 'call_1', name, response: { output: 'Done.' } } }] },
    ],
  };

  it.each(['generateContent', 'streamGenerateContent?alt=sse', 'streamGenerateContent'])(
    'that no chat has are replaced there alone: %s',
    async (method) => {
      const isStream = method.startsWith('stream');
      upstream.answerWith(({ body }, response) => {
        const short = /"function":\{"name":"([^"]+)"/.exec(body)?.[1];
        const calls = [{ index: 0, id: 'call_2', type: 'function', function: { name: short, arguments: '{}' } }];
        const choice = { index: 0, finish_reason: 'tool_calls' };
        const choices = [{ ...choice, [isStream ? 'delta' : 'message']: { content: null, tool_calls: calls } }];
        const object = isStream ? 'chat.completion.chunk' : 'chat.completion';
        const data = JSON.stringify({ id: 'c', created: 1, model: 'm', object, choices });
        response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json');
        response.end(isStream ? `data: ${data}\n\ndata: [DONE]\n\n` : data);
      });
      const response = await post(`openai/m:${method}`, request);
      expect(response.status).toBe(200);
      expect(await response.text()).toContain(`"functionCall":{"id":"call_2","name":"${name}","args":{}}`);
      const received = upstream.requests.at(-1)?.body ?? '';
      expect(received).not.toContain(name);
      const names = new Set([...received.matchAll(/"function":\{"name":"([^"]+)"/g)].map(([, found]) => found));
      expect([...names]).toEqual([expect.stringMatching(/^mcp_server_[\w-]{53}$/), 'look']);
    },
  );
});

describe('an object at the provider, on a connection that accounts share,', () => {
  const file = { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/abc', mimeType: 'image/png' };
  it.each([
    ['a file', { contents: [{ parts: [{ fileData: file }] }] }],
    [
      'a file in the other spelling',
      {
        contents: [{ parts: [{ file_data: { file_uri: file.fileUri, mime_type: 'image/png' } }] }],
      },
    ],
    [
      'a file in a request that is no chat',
      {
        generationConfig: { temperature: 'high' },
        contents: [{ parts: [{ fileData: file }] }],
      },
    ],
    ['a file by its name', { contents: [{ parts: [{ fileData: { fileUri: 'files/abc' } }] }] }],
    ['a file of a bucket', { contents: [{ parts: [{ fileData: { fileUri: 'gs://bucket/object' } }] }] }],
    ['a cached content', { ...hello, cachedContent: 'cachedContents/abc' }],
    ['a cached content in the other spelling', { ...hello, cached_content: 'cachedContents/abc' }],
    ['a file search store', { ...hello, tools: [{ fileSearch: { fileSearchStoreNames: ['fileSearchStores/abc'] } }] }],
  ])('is not found: %s', async (_what, body) => {
    const before = upstream.requests.length;
    const response = await post('gemini/recorded-model:generateContent', body);
    expect(response.status).toBe(404);
    expect(upstream.requests.length).toBe(before);
  });

  it.each([
    'HTTPS://GenerativeLanguage.googleapis.com./v1beta/files/abc',
    'https://a@generativelanguage.googleapis.com:443/v1beta/files/abc',
    String.raw`https:\\generativelanguage.googleapis.com\v1beta\files\abc`,
    'https://generativelanguage.googleapis%2Ecom/v1beta/files/abc',
  ])('is not reached by another spelling: %s', async (fileUri) => {
    const before = upstream.requests.length;
    const response = await post('gemini/recorded-model:generateContent', {
      contents: [{ parts: [{ fileData: { fileUri } }] }],
    });
    expect(geminiError.parse(await response.json()).error.code).toBe(400);
    expect(upstream.requests.length).toBe(before);
  });

  it.each([
    ['a video', { fileUri: 'https://www.youtube.com/watch?v=9hE5-98ZeCg', mimeType: 'video/*' }],
    ['a document', { fileUri: 'https://example.com/googleapis.com/a.pdf', mimeType: 'application/pdf' }],
  ])('is not what anyone can read: %s', async (_what, fileData) => {
    upstream.answerWith(replayDocument(recording('gemini/google-text.json')));
    const body = { contents: [{ parts: [{ fileData }, { text: 'What is it?' }] }] };
    expect((await post('gemini/recorded-model:generateContent', body)).status).toBe(200);
    expect(JSON.parse(upstream.requests.at(-1)?.body ?? '')).toEqual(body);
  });
});

describe('a client of the protocol', () => {
  it('may send its key in the URL', async () => {
    upstream.answerWith(completion());
    const response = await fetch(`${gateway.url}/v1beta/models/openai/m:generateContent?key=${secret}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(hello),
    });
    expect(response.status).toBe(200);
  });

  it('is served at `/v1`, too, which its SDKs request', async () => {
    upstream.answerWith(completion());
    const send = (path: string, init: RequestInit = {}): Promise<Response> =>
      fetch(`${gateway.url}/v1/models${path}`, {
        ...init,
        headers: { 'x-goog-api-key': secret, 'content-type': 'application/json', ...init.headers },
      });
    const generated = await send('/openai/m:generateContent', { method: 'POST', body: JSON.stringify(hello) });
    expect(geminiResponse.parse(await generated.json()).candidates).toHaveLength(1);
    const refused = await send('/openai/m:countTokens', { method: 'POST', body: '{}' });
    expect(geminiError.parse(await refused.json()).error.status).toBe('INVALID_ARGUMENT');
    const google = { 'x-goog-api-client': 'google-genai-sdk/3.3.0 gl-node/v24' };
    expect(await (await send('/sandbox/chat', { headers: google })).json()).toMatchObject({
      name: 'models/sandbox/chat',
    });
    expect(await (await send('', { headers: google })).json()).toMatchObject({ models: expect.any(Array) });
    expect(await (await send('')).json()).toMatchObject({ object: 'list' });
  });

  it('may leave out `models/` before a name with a slash', async () => {
    upstream.answerWith(completion());
    const send = (path: string): Promise<Response> =>
      fetch(`${gateway.url}/v1beta/${path}`, {
        method: 'POST',
        headers: { 'x-goog-api-key': secret, 'content-type': 'application/json' },
        body: JSON.stringify(hello),
      });
    const response = await send('openai/m:generateContent');
    expect(response.status).toBe(200);
    expect(response.headers.get('x-sluice-model')).toBe('openai/m');
    for (const path of ['m:generateContent', 'openai/:generateContent']) expect((await send(path)).status).toBe(404);
  });

  it('counts tokens free of charge', async () => {
    const before = gateway.settled().length;
    const counted = await post('openai/m:countTokens', { contents: [{ parts: [{ text: 'x'.repeat(400) }] }] });
    expect(await counted.json()).toEqual({ totalTokens: 100 });
    const request = {
      generateContentRequest: {
        contents: [{ parts: [{ text: 'x'.repeat(400) }] }],
        systemInstruction: { parts: [{ text: 'y'.repeat(400) }] },
      },
    };
    expect(geminiTokenCount.parse(await (await post('openai/m:countTokens', request)).json()).totalTokens).toBe(200);
    expect(gateway.settled().length).toBe(before);
    expect((await post('openai/m:countTokens', {})).status).toBe(400);
  });

  it('counts tokens at Google, which is sent its own name of the model', async () => {
    const answer = '{ "totalTokens": 31 }';
    upstream.answerWith(json(200, answer));
    const body = '{"contents": [{"parts":[{"text":"é"}]}], "x":1.0}';
    const counted = await post('gemini/gemini-3-pro:countTokens', body);
    expect(await counted.text()).toBe(answer);
    expect(counted.headers.get('x-sluice-estimated')).toBeNull();
    expect(upstream.requests.at(-1)).toMatchObject({ path: '/v1/models/gemini-3-pro:countTokens', body });
    const request = { model: 'models/gemini/gemini-3-pro', ...hello };
    await post('gemini/gemini-3-pro:countTokens', { generateContentRequest: request });
    expect(upstream.requests.at(-1)?.json).toEqual({
      generateContentRequest: { ...request, model: 'models/gemini-3-pro' },
    });
    upstream.answerWith(json(400, { error: { code: 400, message: 'No.', status: 'INVALID_ARGUMENT' } }));
    expect((await post('gemini/gemini-3-pro:countTokens', body)).status).toBe(400);
  });

  it('lists models and reads one', async () => {
    const read = async (path: string): Promise<unknown> =>
      (await fetch(`${gateway.url}/v1beta/models${path}`, { headers: { 'x-goog-api-key': secret } })).json();
    const { models } = z.strictObject({ models: z.array(geminiModel) }).parse(await read(''));
    const chat = models.find(({ name }) => name === 'models/sandbox/chat');
    expect(chat?.supportedGenerationMethods).toContain('generateContent');
    expect(await read('/sandbox/chat')).toEqual(chat);
    expect(geminiError.parse(await read('/nobody/knows')).error.status).toBe('NOT_FOUND');
  });
});
