import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConfigured } from '../../../harness/configured-server.ts';
import { json, pieces, startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import { readEventData } from '../../../harness/read-events.ts';
import type { ServerProcess } from '../../../harness/server-process.ts';
import { hello, signedTools } from './features.ts';
import type { Json, MatrixClient, MatrixProtocol, ReadResponse } from './matrix-protocol.ts';
import { chat } from './protocols/chat.ts';
import { completions } from './protocols/completions.ts';
import { gemini } from './protocols/gemini.ts';
import { messages } from './protocols/messages.ts';
import { responses } from './protocols/responses.ts';

const clients: readonly MatrixClient[] = [chat, responses, messages, gemini, completions];

interface Recorded {
  readonly protocol: MatrixProtocol;
  /** A model of a provider of the protocol. */
  readonly model: string;
  /** Folders of `test/fixtures/providers`. */
  readonly folders: readonly string[];
  /** The frame of an event around its recorded data. */
  readonly frame: (data: string) => string;
  readonly end?: string;
}

const data = (text: string): string => `data: ${text}\n\n`;
const named = (text: string): string => `event: ${JSON.parse(text).type}\n${data(text)}`;
const recordedProtocols: readonly Recorded[] = [
  {
    protocol: chat,
    model: 'chatting/recorded-model',
    folders: ['alibaba', 'deepseek', 'groq', 'moonshot', 'openai', 'openai-compatible', 'xai'],
    frame: data,
    end: data('[DONE]'),
  },
  {
    protocol: responses,
    model: 'relaying/recorded-model',
    folders: ['azure', 'open-responses', 'openai-responses', 'xai-responses'],
    frame: named,
  },
  { protocol: messages, model: 'anthropic/claude-opus-4-5', folders: ['anthropic'], frame: named },
  { protocol: gemini, model: 'gemini/gemini-3-pro-preview', folders: ['gemini'], frame: data },
];

/** Recordings that a reader cannot compare, and why; other tests hold what clients receive of them. */
const incomparable = new Map([
  ['anthropic/spliced-message-start.chunks.txt', 'its events are broken'],
  ['gemini/google-stream-no-args-tool-call.chunks.txt', 'it has arguments in parts, by their paths'],
  ['openai-responses/openai-custom-tool.1.chunks.txt', 'the input of its call is no JSON'],
  ['openai-responses/openai-shell-container.1.chunks.txt', 'its deltas are abridged'],
]);
/** Some files hold the streams of several requests. */
const starts = /"type":"(message_start|response\.created)"/g;

const folder = new URL('../../../fixtures/providers/', import.meta.url);
const recordings = recordedProtocols.flatMap((recorded) =>
  recorded.folders.flatMap((name) =>
    readdirSync(new URL(`${name}/`, folder))
      .filter((file) => /\.(chunks\.txt|json)$/.test(file) && !/error|429/.test(file))
      .map((file) => ({
        ...recorded,
        name: `${name}/${file}`,
        isStream: file.endsWith('.chunks.txt'),
        text: readFileSync(new URL(`${name}/${file}`, folder), 'utf8'),
      })),
  ),
);
const compared = recordings.filter(
  ({ name, text }) => !incomparable.has(name) && (text.match(starts) ?? []).length <= 1,
);
type Recording = (typeof recordings)[number];

let upstream: FakeProvider;
let server: ServerProcess;

beforeAll(async () => {
  upstream = await startFakeProvider();
  server = await startConfigured(`
providers:
  chatting: { base_url: "${upstream.url}", api_key: "sk-1", options: { api: chat } }
  relaying: { base_url: "${upstream.url}", api_key: "sk-2", options: { api: responses } }
  anthropic: { base_url: "${upstream.url}", api_key: "sk-3" }
  gemini: { base_url: "${upstream.url}", api_key: "sk-4" }
`);
});

afterAll(async () => {
  await server.dispose();
  await upstream.close();
});

/** Cut where a generator seeded with the name says, within characters and frames, too. */
function cut(text: string, name: string): Buffer[] {
  const bytes = Buffer.from(text);
  let state = [...name].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) >>> 0, 7);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const length = 1 + (state % 1_500);
    parts.push(bytes.subarray(at, at + length));
    at += length;
  }
  return parts;
}

/** What the provider says, read by a client of its own protocol. */
function said({ protocol, isStream, text }: Recording): ReadResponse {
  return isStream
    ? protocol.readEvents(linesOf(text).map((line) => JSON.parse(line)))
    : protocol.readDocument(JSON.parse(text));
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');

async function throughSluice(client: MatrixClient, recording: Recording): Promise<ReadResponse> {
  const { model, isStream, frame, end = '', name, text } = recording;
  const script = isStream ? pieces(cut(linesOf(text).map(frame).join('') + end, name), 'end') : json(200, text);
  upstream.answerWith(script);
  const needs = client === completions ? {} : { tools: signedTools };
  const written = client.writeRequest({ turns: [hello], ...needs }, model, isStream);
  const response = await fetch(server.url + (written?.path ?? ''), {
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(written?.body),
  });
  const received = await response.text();
  expect([response.status, received]).toEqual([200, expect.any(String)]);
  return isStream ? client.readEvents(readEventData(received)) : client.readDocument(JSON.parse(received) as Json);
}

/** Refusals may come with an explanation, which not every protocol has a place for. */
const contentOf = ({ text, thinking, calls = [], stop, cachedTokens }: ReadResponse) => ({
  text: stop === 'refusal' ? '' : text,
  thinking,
  calls: calls.map(({ name, input }) => ({ name, input })),
  stop,
  cachedTokens,
});

/** Completions have neither reasoning nor calls. */
function heard(client: MatrixClient, content: ReturnType<typeof contentOf>) {
  if (client !== completions) return content;
  return { ...content, thinking: '', calls: [], stop: content.stop === 'tools' ? 'stop' : content.stop };
}

describe.each(compared)('the recording $name', (recording) => {
  it.each(clients)('says the same to a client of $title', async (client) => {
    const received = await throughSluice(client, recording);
    expect(received.error).toBeNull();
    const [first] = client === messages ? contentIn(received.turn) : [];
    // SDKs' examples read the text of the first block.
    if (client !== recording.protocol && received.thinking === '' && received.text !== '')
      expect(first?.type).not.toBe('thinking');
    expect(contentOf(received)).toEqual(heard(client, contentOf(said(recording))));
  });
});

/** The blocks of a turn in Messages. */
function contentIn(turn: unknown): readonly { readonly type?: unknown }[] {
  return typeof turn === 'object' && turn !== null && 'content' in turn && Array.isArray(turn.content)
    ? turn.content
    : [];
}

it('leaves out no other recording than these', () => {
  expect(compared.length).toBeGreaterThan(100);
  expect([...incomparable.keys()].filter((name) => !recordings.some((each) => each.name === name))).toEqual([]);
});
