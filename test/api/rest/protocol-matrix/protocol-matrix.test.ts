import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConfigured } from '../../../harness/configured-server.ts';
import { json, pieces, startFakeProvider, type FakeProvider, type Script } from '../../../harness/fake-provider.ts';
import { readEventData } from '../../../harness/read-events.ts';
import type { ServerProcess } from '../../../harness/server-process.ts';
import {
  DOCUMENT,
  DOCUMENT_URL,
  hello,
  requestFeatures,
  responseFeatures,
  SIGNATURE,
  signedResults,
  signedTools,
  signedTurn,
  type RequestFeature,
  type ResponseFeature,
} from './features.ts';
import type { MatrixClient, MatrixProtocol, ReadResponse, ResponseContent, WrittenRequest } from './matrix-protocol.ts';
import { renderMatrix, type Outcome, type Section } from './render-matrix.ts';
import { chat } from './protocols/chat.ts';
import { completions } from './protocols/completions.ts';
import { gemini } from './protocols/gemini.ts';
import { messages } from './protocols/messages.ts';
import { responses } from './protocols/responses.ts';

const protocols: readonly MatrixProtocol[] = [chat, responses, messages, gemini];
const clients: readonly MatrixClient[] = [...protocols, completions];
/** A model of a provider of each protocol. */
const models: Readonly<Record<string, string>> = {
  'chat-completions': 'chatting/some-model',
  responses: 'relaying/some-model',
  messages: 'anthropic/claude-opus-4-5',
  gemini: 'gemini/gemini-3-pro-preview',
};
const pairs = clients.flatMap((client) => protocols.map((provider) => ({ client, provider })));
const modes = [
  { streamed: false, mode: 'unstreamed' },
  { streamed: true, mode: 'streamed' },
];

let upstream: FakeProvider;
let server: ServerProcess;

const documents = createServer((_request, response) =>
  response.writeHead(200, { 'content-type': 'application/pdf' }).end(Buffer.from(DOCUMENT, 'base64')),
);
let place = '';

beforeAll(async () => {
  upstream = await startFakeProvider();
  await once(documents.listen(0, '127.0.0.1'), 'listening');
  const address = documents.address();
  place = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const environment = { SLUICE_OUTBOUND_ALLOW: place };
  // Like providers elsewhere, they are sent URLs.
  const yaml = `
providers:
  chatting: { base_url: "${upstream.url}", forward_urls: true, api_key: "sk-1", options: { api: chat } }
  relaying: { base_url: "${upstream.url}", forward_urls: true, api_key: "sk-2", options: { api: responses } }
  anthropic: { base_url: "${upstream.url}", forward_urls: true, api_key: "sk-3" }
  gemini: { base_url: "${upstream.url}", forward_urls: true, api_key: "sk-4" }
`;
  server = await startConfigured(yaml, {}, environment);
});

afterAll(async () => {
  documents.close();
  await server.dispose();
  await upstream.close();
});

function send({ path, body }: WrittenRequest): Promise<Response> {
  return fetch(server.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body).replaceAll(DOCUMENT_URL, `http://${place}/a.pdf`),
  });
}

/** Undefined for content that the provider's protocol cannot express. */
function reply(provider: MatrixProtocol, content: ResponseContent, streamed: boolean): Script | undefined {
  if (streamed) {
    const events = provider.writeEvents(content);
    return events === null ? undefined : pieces([...events], 'end', 'text/event-stream');
  }
  const document = provider.writeDocument(content);
  return document === null ? undefined : json(200, document);
}

/** Chats are relayed with the members that Sluice adds to them. */
function expectRelayed(
  client: MatrixClient,
  provider: MatrixProtocol,
  text: string,
  content: ResponseContent,
  streamed: boolean,
): void {
  if (client !== provider || client === chat) return;
  const sent = streamed ? provider.writeEvents(content)?.join('') : JSON.stringify(provider.writeDocument(content));
  expect(text).toBe(sent);
}

const plain: ResponseContent = { text: 'Hi', stop: 'stop' };

function read(client: MatrixClient, text: string, isEvents: boolean): ReadResponse {
  return isEvents ? client.readEvents(readEventData(text)) : client.readDocument(JSON.parse(text));
}

async function requestOutcome(
  client: MatrixClient,
  provider: MatrixProtocol,
  { content, arrived }: RequestFeature,
  streamed: boolean,
): Promise<Outcome> {
  const written = client.writeRequest(content, models[provider.name] ?? '', streamed);
  if (written === null) return 'none';
  upstream.answerWith(reply(provider, plain, streamed) ?? expect.unreachable());
  const before = upstream.requests.length;
  const response = await send(written);
  const text = await response.text();
  if (!response.ok) {
    expect([400, text]).toEqual([response.status, expect.stringContaining('message')]);
    expect(upstream.requests.length).toBe(before);
    return 'refused';
  }
  const sent = (upstream.requests[before]?.body ?? '{}').replaceAll(`http://${place}/a.pdf`, DOCUMENT_URL);
  const received: Record<string, unknown> = JSON.parse(sent);
  const hasArrived = arrived(provider.readRequest(received));
  const isFetched = JSON.stringify(written.body).includes(DOCUMENT_URL) && !sent.includes(DOCUMENT_URL);
  expectRelayed(client, provider, text, plain, streamed);
  if (client === provider && !isFetched) {
    const { model: _model, ...members } = written.body as Record<string, unknown>;
    expect(received).toMatchObject(members);
    expect(hasArrived).toBe(true);
    return 'relayed';
  }
  if (hasArrived) return 'converted';
  expect(response.headers.get('x-sluice-dropped-params'), text).not.toBeNull();
  return 'dropped';
}

async function responseOutcome(
  client: MatrixClient,
  provider: MatrixProtocol,
  { content }: ResponseFeature,
  streamed: boolean,
): Promise<Outcome> {
  const script = reply(provider, content, streamed);
  const { calls: called, thinking: thought } = content;
  const needs = called === undefined && thought === undefined ? {} : { tools: signedTools };
  const written = client.writeRequest({ turns: [hello], ...needs }, models[provider.name] ?? '', streamed);
  if (script === undefined || written === null) return 'none';
  upstream.answerWith(script);
  const response = await send(written);
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.any(String)]);
  expectRelayed(client, provider, text, content, streamed);
  const received = read(client, text, streamed);
  expect(received.error).toBeNull();
  const { text: said = '', thinking = '', calls = [], stop, cachedTokens = 0 } = content;
  const withoutIds = (all: ResponseContent['calls'] = []): object[] => all.map(({ name, input }) => ({ name, input }));
  expect({ ...received, calls: withoutIds(received.calls), turn: null }).toEqual({
    text: stop === 'refusal' ? expect.any(String) : said,
    thinking,
    calls: withoutIds(calls),
    stop,
    cachedTokens,
    error: null,
    turn: null,
  });
  return client === provider ? 'relayed' : 'converted';
}

async function signatureOutcome(client: MatrixClient, provider: MatrixProtocol, streamed: boolean): Promise<Outcome> {
  const script = reply(provider, signedTurn, streamed);
  const model = models[provider.name] ?? '';
  const asked = { turns: [hello], tools: signedTools, thinks: true };
  const first = client.writeRequest(asked, model, streamed);
  if (script === undefined || first === null) return 'none';
  upstream.answerWith(script);
  const response = await send(first);
  const received = read(client, await response.text(), streamed);
  expect(received.calls).toHaveLength(1);
  const results = signedResults.map((result) => ({ ...result, id: received.calls?.[0]?.id ?? result.id }));
  const turns = [hello, { role: 'assistant' as const }, { role: 'tool' as const, results }];
  const second = client.writeRequest({ ...asked, turns }, model, streamed, received.turn);
  if (second === null) return 'none';
  upstream.answerWith(reply(provider, plain, streamed) ?? expect.unreachable());
  const before = upstream.requests.length;
  const answered = await send(second);
  expect([answered.status, await answered.text()]).toEqual([200, expect.any(String)]);
  expect(upstream.requests[before]?.body).toContain(SIGNATURE);
  return client === provider ? 'relayed' : 'converted';
}

const errorMessage = 'The provider is overloaded: try again later.';

async function errorOutcome(
  client: MatrixClient,
  provider: MatrixProtocol,
  { streamed, isWithin }: { readonly streamed: boolean; readonly isWithin: boolean },
): Promise<Outcome> {
  const written = client.writeRequest({ turns: [hello] }, models[provider.name] ?? '', streamed);
  if (written === null) return 'none';
  const events = provider.writeEvents({ text: 'It is sunny.', stop: 'stop' }) ?? [];
  const begun = events.slice(0, events.findIndex((event) => event.includes('sunny')) + 1);
  // The error follows once the client has output: before, it would be one before the stream.
  const begins = Promise.withResolvers<void>();
  upstream.answerWith(
    isWithin
      ? async (_request, provided) => {
          provided.writeHead(200, { 'content-type': 'text/event-stream' }).write(begun.join(''));
          await begins.promise;
          provided.end(provider.writeErrorEvent(errorMessage));
        }
      : json(429, provider.writeError(429, errorMessage)),
  );
  const response = await send(written);
  begins.resolve();
  const text = await response.text();
  expect(response.status).toBe(isWithin ? 200 : 429);
  const { error } = read(client, text, isWithin);
  expect(error, text).toContain('overloaded');
  return client === provider ? 'relayed' : 'converted';
}

/** Outcomes by section, row and pair. */
const sections: Section[] = [
  { title: 'Requests', rows: new Map() },
  { title: 'Responses', rows: new Map() },
];

function record(section: Section | undefined, row: string, client: string, provider: string, outcome: Outcome): void {
  const cells = section?.rows.get(row) ?? new Map<string, Set<Outcome>>();
  const name = `${client} ${provider}`;
  cells.set(name, (cells.get(name) ?? new Set()).add(outcome));
  section?.rows.set(row, cells);
}

describe.each(
  pairs.map((pair) => ({ ...pair, name: `${pair.client.title} with a provider of ${pair.provider.title}` })),
)('a client of $name', ({ client, provider }) => {
  const [requests, answers] = sections;
  const note = (section: Section | undefined, row: string, outcome: Outcome): void =>
    record(section, row, client.title, provider.title, outcome);

  describe.each(modes)('$mode', ({ streamed }) => {
    it.each(requestFeatures)('sends: $name', async (feature) =>
      note(requests, feature.name, await requestOutcome(client, provider, feature, streamed)),
    );
    it.each(responseFeatures)('receives: $name', async (feature) =>
      note(answers, feature.name, await responseOutcome(client, provider, feature, streamed)),
    );
    it('gives signed reasoning back', async () =>
      note(answers, 'Signed reasoning, given back', await signatureOutcome(client, provider, streamed)));
    it('receives an error in place of the response', async () =>
      note(
        answers,
        'Errors in place of a response',
        await errorOutcome(client, provider, { streamed, isWithin: false }),
      ));
  });

  it('receives an error within the stream', async () =>
    note(answers, 'Errors within a stream', await errorOutcome(client, provider, { streamed: true, isWithin: true })));
});

it('is what the documentation says', async () => {
  const titles = (all: readonly MatrixClient[]): string[] => all.map(({ title }) => title);
  await expect(renderMatrix(sections, titles(clients), titles(protocols))).toMatchFileSnapshot(
    '../../../../docs/api/protocol-matrix.md',
  );
});
