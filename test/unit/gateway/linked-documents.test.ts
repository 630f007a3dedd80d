import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { linkedPaths } from '../../../src/gateway/policy/linked-media.ts';
import { newEventIds } from '../../../src/gateway/event-id.ts';
import { publicResponseId } from '../../../src/services/responses/response-id.ts';
import { startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';
import { unstoredResponses } from '../../harness/unstored-responses.ts';

const refusal = z.object({ error: z.object({ code: z.string(), param: z.string().nullable(), message: z.string() }) });
const PDF = Buffer.from('%PDF-1.4\n%%EOF\n');
const PIXEL = Buffer.from('iVBORw0KGgo=', 'base64');
const DATA = PDF.toString('base64');
const INLINED = `data:application/pdf;base64,${DATA}`;

let provider: FakeProvider;
let shelf: Server;
let fetched: string[] = [];
let place = '';
let gateway: TestGateway;

const shelved: Readonly<Record<string, readonly [string, Buffer]>> = {
  '/paper.pdf': ['application/pdf', PDF],
  '/signed': ['binary/octet-stream', PDF],
  '/program': ['application/octet-stream', PIXEL],
  '/notes.md': ['text/markdown; charset=utf-8', Buffer.from('# Notes')],
  '/pixel.png': ['image/png', PIXEL],
  '/page': ['text/html', Buffer.from('secret')],
  '/large.pdf': ['application/pdf', Buffer.alloc(15 * 1024 * 1024, PDF)],
};

beforeAll(async () => {
  provider = await startFakeProvider();
  shelf = createServer((request, response) => {
    fetched.push(request.url ?? '');
    const [type, content] = shelved[request.url ?? ''] ?? [];
    if (type === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': type }).end(content);
  }).listen(0, '127.0.0.1');
  await once(shelf, 'listening');
  const address = shelf.address();
  place = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const { url: baseUrl } = provider;
  const options = { region: 'us-east-1', access_key_id: 'id', secret_access_key: 'secret' };
  gateway = await startGateway({
    providers: {
      openai: baseUrl,
      xai: { baseUrl, options: { api: 'responses' } },
      anthropic: baseUrl,
      gemini: baseUrl,
      openrouter: baseUrl,
      vllm: { baseUrl, options: { api: 'responses' } },
      'amazon-bedrock': { baseUrl, options },
    },
    config: 'routes:\n  either:\n    targets: [anthropic/claude-sonnet-4-5, openai/gpt-4.1-mini]\n',
    allowedHosts: [place],
    inlining: ['vllm'],
    rest: unstoredResponses,
  });
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
  shelf.close();
});
beforeEach(() => {
  fetched = [];
});

function post(path: string, body: object): Promise<Response> {
  return fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const urlOf = (path: string): string => `http://${place}${path}`;

type Ask = (model: string, url: string) => Promise<Response>;

const chat: Ask = (model, url) =>
  post('/v1/chat/completions', {
    model,
    messages: [{ role: 'user', content: [{ type: 'file', file: { file_data: url } }] }],
  });
const responses: Ask = (model, url) =>
  post('/v1/responses', {
    model,
    store: false,
    input: [{ role: 'user', content: [{ type: 'input_file', file_url: url }] }],
  });
const messages: Ask = (model, url) =>
  post('/v1/messages', {
    model,
    max_tokens: 100,
    messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'url', url } }] }],
  });
const gemini: Ask = (model, url) =>
  post(`/v1beta/models/${model}:generateContent`, {
    contents: [{ role: 'user', parts: [{ fileData: { mimeType: 'application/pdf', fileUri: url } }] }],
  });

/** What the provider was sent. Its response to other protocols than chat is of no concern here. */
async function sentBy(ask: Ask, model: string, path = '/paper.pdf'): Promise<unknown> {
  const before = provider.requests.length;
  const answer = await ask(model, urlOf(path));
  const text = await answer.text();
  const { json } = provider.requests[before] ?? expect.fail(`nothing was sent: ${answer.status} ${text}`);
  return json;
}

async function refused(answer: Response): Promise<z.infer<typeof refusal>['error']> {
  expect(answer.status).toBe(400);
  return refusal.parse(await answer.json()).error;
}

const containing = (part: object, member = 'content'): unknown =>
  expect.objectContaining({ [member]: [expect.objectContaining(part)] });
const inChat = (file: object): unknown =>
  expect.objectContaining({ messages: [containing({ type: 'file', file: expect.objectContaining(file) })] });
const inMessages = (source: object): unknown =>
  expect.objectContaining({ messages: [containing({ type: 'document', source })] });

const clients: readonly (readonly [string, Ask])[] = [
  ['Chat Completions', chat],
  ['Responses', responses],
  ['Messages', messages],
  ['Gemini', gemini],
];

describe.each(clients)('the URL of a document in a request of %s', (name, ask) => {
  it('is forwarded to Anthropic', async () => {
    const sent = await sentBy(ask, 'anthropic/claude-sonnet-4-5');
    expect(sent).toEqual(inMessages({ type: 'url', url: urlOf('/paper.pdf') }));
    expect(fetched).toEqual([]);
  });

  it('is forwarded to Google', async () => {
    const sent = await sentBy(ask, 'gemini/gemini-2.5-flash');
    const fileData = { mimeType: 'application/pdf', fileUri: urlOf('/paper.pdf') };
    expect(sent).toEqual(expect.objectContaining({ contents: [containing({ fileData }, 'parts')] }));
    expect(fetched).toEqual([]);
  });

  it('is forwarded to OpenRouter', async () => {
    const sent = await sentBy(ask, 'openrouter/any/model');
    expect(sent).toEqual(inChat({ file_data: urlOf('/paper.pdf') }));
    expect(fetched).toEqual([]);
  });

  it('is replaced by the content for a provider whose chats take no URL', async () => {
    const sent = await sentBy(ask, 'openai/gpt-4.1-mini');
    const filename = name === 'Messages' ? 'document.pdf' : name === 'Gemini' ? 'file' : 'paper.pdf';
    expect(sent).toEqual(inChat({ file_data: INLINED, filename }));
    expect(fetched).toEqual(['/paper.pdf']);
  });

  it('is replaced by the content for Claude at Amazon Bedrock', async () => {
    const sent = await sentBy(ask, 'amazon-bedrock/anthropic.claude-sonnet-4-20250514-v1:0');
    expect(JSON.stringify(sent)).toContain(DATA);
    if (name === 'Messages')
      expect(sent).toEqual(inMessages({ type: 'base64', media_type: 'application/pdf', data: DATA }));
  });

  it('is replaced by the content for a route with a provider that takes no URL', async () => {
    const sent = await sentBy(ask, 'either');
    expect(sent).toEqual(inMessages({ type: 'base64', media_type: 'application/pdf', data: DATA }));
  });

  it('is refused if it is not a document, and sent to no provider', async () => {
    const before = provider.requests.length;
    for (const path of ['/page', '/program', '/absent']) {
      const answer = await ask('openai/gpt-4.1-mini', urlOf(path));
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringMatching(/file|source/)]);
    }
    const inside = await ask('openai/gpt-4.1-mini', 'http://10.0.0.7/paper.pdf');
    expect([inside.status, await inside.text()]).toEqual([400, expect.stringContaining('not a public address')]);
    expect(provider.requests.length).toBe(before);
  });
});

describe('a file that cannot be fetched is named by its member', () => {
  const gpt = 'openai/gpt-4.1-mini';
  const nova = 'amazon-bedrock/amazon.nova-pro-v1:0';
  const text = { type: 'input_text', text: 'Compare' };

  it.each([
    ['of Chat Completions', () => chat(gpt, urlOf('/absent')), 'messages[0].content[0].file.file_data'],
    ['of Responses', () => responses(gpt, urlOf('/absent')), 'input[0].content[0].file_url'],
    ['of Messages', () => messages(gpt, urlOf('/absent')), 'messages[0].content[0].source.url'],
    ['of Gemini', () => gemini(gpt, urlOf('/absent')), 'contents[0].parts[0].fileData.fileUri'],
    [
      'of Responses after instructions, a call and its output',
      () =>
        post('/v1/responses', {
          model: gpt,
          store: false,
          instructions: 'Be brief',
          input: [
            { role: 'user', content: [text, { type: 'input_file', file_url: urlOf('/paper.pdf') }] },
            { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{}' },
            { type: 'function_call_output', call_id: 'call_1', output: 'Done' },
            { role: 'user', content: [text, { type: 'input_file', file_url: urlOf('/absent') }] },
          ],
        }),
      'input[3].content[1].file_url',
    ],
    [
      'of Responses with an image',
      () =>
        post('/v1/responses', {
          model: nova,
          store: false,
          input: [{ role: 'user', content: [text, { type: 'input_image', image_url: urlOf('/absent') }] }],
        }),
      'input[0].content[1].image_url',
    ],
    [
      'of Messages with an image',
      () =>
        post('/v1/messages', {
          model: nova,
          max_tokens: 100,
          messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: urlOf('/absent') } }] }],
        }),
      'messages[0].content[0].source.url',
    ],
    [
      'of Gemini with an image',
      () =>
        post(`/v1beta/models/${nova}:generateContent`, {
          contents: [{ role: 'user', parts: [{ fileData: { mimeType: 'image/png', fileUri: urlOf('/absent') } }] }],
        }),
      'contents[0].parts[0].fileData.fileUri',
    ],
  ])('%s', async (_protocol, ask, member) => {
    const answer = await ask();
    const body = await answer.text();
    expect([answer.status, body]).toEqual([400, expect.stringContaining(`'${member}'`)]);
    expect(body.replaceAll(member, '')).not.toMatch(/messages\[|contents\[|input\[/);
  });
});

describe('more links than can be fetched', () => {
  const MANY = 100_000;

  it.each<[string, string, string, (url: string) => object, string]>([
    [
      'of Responses, converted to a chat',
      '/v1/responses',
      'openai/gpt-4.1-mini',
      (url) => ({
        store: false,
        input: [{ role: 'user', content: Array.from({ length: MANY }, () => ({ type: 'input_file', file_url: url })) }],
      }),
      'input[0].content[32].file_url',
    ],
    [
      'of Chat Completions',
      '/v1/chat/completions',
      'openai/gpt-4.1-mini',
      (url) => ({
        messages: [
          { role: 'user', content: Array.from({ length: 10_000 }, () => ({ type: 'file', file: { file_data: url } })) },
        ],
      }),
      'messages[0].content[32].file.file_data',
    ],
    [
      'of any member, to a self-hosted server',
      '/v1/responses',
      'vllm/any',
      (url) => ({ store: false, input: 'Hello', images: Array.from({ length: MANY }, () => url) }),
      'images[32]',
    ],
  ])('are refused: %s', async (_what, path, model, body, param) => {
    const answer = await post(path, { model, ...body(urlOf('/paper.pdf')) });
    const { message, ...error } = await refused(answer);
    expect(error).toMatchObject({ code: 'invalid_value', param });
    expect(message).toContain('at most 32 URLs');
    expect(fetched).toEqual([]);
  });

  it('are collected in a bounded number', () => {
    const url = urlOf('/paper.pdf');
    const files = Array.from({ length: MANY }, () => ({ type: 'input_file', file_url: url }));
    const images = Array.from({ length: MANY }, (_, index) => ({ type: 'input_image', image_url: `${url}?${index}` }));
    const paths = linkedPaths({ input: [{ content: files }, { content: images }] });
    expect(paths.get(url)).toHaveLength(33);
    expect(paths.get(url)?.at(-1)).toBe('input[0].content[32].file_url');
    expect(paths.size).toBe(1 + 33);
    expect([...paths.values()].at(-1)).toEqual(['input[1].content[32].image_url']);
  });
});

describe('the URL of a document', () => {
  it('is relayed as it is to a provider with the protocol of its client', async () => {
    const sent = await sentBy(responses, 'xai/grok-4');
    expect(sent).toEqual(
      expect.objectContaining({ input: [containing({ type: 'input_file', file_url: urlOf('/paper.pdf') })] }),
    );
    expect(fetched).toEqual([]);
  });

  it('is replaced in the form of the protocol for a self-hosted server', async () => {
    const sent = await sentBy(responses, 'vllm/any');
    const part = { type: 'input_file', file_data: INLINED, filename: 'paper.pdf' };
    expect(sent).toEqual(expect.objectContaining({ input: [containing(part)] }));
    expect(JSON.stringify(sent)).not.toContain('file_url');
  });

  it('has a type of its own where the store of the file knows none', async () => {
    const sent = await sentBy(chat, 'openai/gpt-4.1-mini', '/signed');
    expect(sent).toEqual(inChat({ file_data: INLINED, filename: 'document.pdf' }));
  });

  it('of a text becomes a text', async () => {
    const sent = await sentBy(messages, 'amazon-bedrock/anthropic.claude-sonnet-4-20250514-v1:0', '/notes.md');
    expect(sent).toEqual(inMessages({ type: 'text', media_type: 'text/plain', data: '# Notes' }));
  });

  it('is refused with others whose files are too large together', async () => {
    const content = Array.from({ length: 3 }, () => ({ type: 'file', file: { file_data: urlOf('/large.pdf') } }));
    const answer = await post('/v1/chat/completions', {
      model: 'openai/gpt-4.1-mini',
      messages: [{ role: 'user', content }],
    });
    const { code, param, message } = await refused(answer);
    expect([code, param]).toEqual([
      'invalid_value',
      expect.stringMatching(/^messages\[0\]\.content\[\d\]\.file\.file_data$/),
    ]);
    expect(message).toContain('more than 52428800 bytes');
  });
});

it('the URL of an image is replaced by its content for a provider that fetches none', async () => {
  const content = [{ type: 'image_url', image_url: { url: urlOf('/pixel.png') } }];
  const ask: Ask = (model) => post('/v1/chat/completions', { model, messages: [{ role: 'user', content }] });
  const sent = await sentBy(ask, 'amazon-bedrock/amazon.nova-pro-v1:0');
  expect(JSON.stringify(sent)).toContain(PIXEL.toString('base64'));
});

it('the address of an MCP server is not called by a self-hosted server', async () => {
  const tools = [{ type: 'mcp', server_label: 'docs', server_url: urlOf('/mcp') }];
  const answer = await post('/v1/responses', { model: 'vllm/any', store: false, input: 'Hello', tools });
  const { code, param, message } = await refused(answer);
  expect([code, param]).toEqual(['outbound_refused', 'tools[0].server_url']);
  expect(message).toContain('self-hosted');
  expect(message).not.toContain('data: URL');
  expect(fetched).toEqual([]);
});

describe('the URL of a document in an earlier response', () => {
  let continuing: TestGateway;

  beforeAll(async () => {
    const { url: baseUrl } = provider;
    const before = [
      { type: 'message', role: 'user', content: [{ type: 'input_file', file_url: urlOf('/paper.pdf') }] },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Read.', annotations: [] }],
      },
    ];
    continuing = await startGateway({
      providers: { openai: baseUrl, xai: { baseUrl, options: { api: 'responses' } } },
      config: 'routes:\n  mixed:\n    targets: [xai/grok-4, openai/gpt-4.1-mini]\n',
      allowedHosts: [place],
      rest(made) {
        const { responses: routes } = unstoredResponses(made);
        const find = async (): Promise<Map<string, readonly string[]>> => new Map([['msg_1', ['xai']]]);
        return {
          responses: {
            ...routes,
            access: { reachOf: async () => ({ accountId: 'account', apiKeyId: null }) },
            objects: { ...routes.objects, find, record: () => undefined },
            earlier: { ...routes.earlier, conversation: async () => before },
          },
        };
      },
    });
  });
  afterAll(() => continuing.close());

  it('is fetched where a target of the route takes no URL', async () => {
    const sent = provider.requests.length;
    provider.answerWith(
      (request, response) => void response.writeHead(request.path.endsWith('/responses') ? 503 : 500).end('{}'),
    );
    await fetch(`${continuing.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'mixed',
        store: false,
        previous_response_id: publicResponseId(newEventIds().eventId),
        input: 'Go on.',
      }),
    });
    const asked = provider.requests.slice(sent);
    const last = asked.at(-1);
    expect(last?.path).toMatch(/chat\/completions$/);
    expect(JSON.stringify(last?.json)).toContain(INLINED);
    expect(fetched).toEqual(['/paper.pdf']);
  });
});
