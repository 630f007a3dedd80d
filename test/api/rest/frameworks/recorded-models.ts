import { readFileSync } from 'node:fs';
import { startConfigured } from '../../../harness/configured-server.ts';
import { refusal, startFakeProvider, type FakeProvider, type ReceivedRequest } from '../../../harness/fake-provider.ts';
import type { ServerProcess } from '../../../harness/server-process.ts';
import { replayDocument, replayStream } from '../../../unit/providers/replay.ts';
import type { MatrixProtocol, ReadResponse } from '../protocol-matrix/matrix-protocol.ts';
import { chat } from '../protocol-matrix/protocols/chat.ts';
import { gemini } from '../protocol-matrix/protocols/gemini.ts';
import { messages } from '../protocol-matrix/protocols/messages.ts';
import { responses } from '../protocol-matrix/protocols/responses.ts';

/** What a model answers: a text, or a call of the tool `weather` for San Francisco. */
type Kind = 'text' | 'tool';

interface RecordedModel {
  /** As clients name it. */
  readonly model: string;
  readonly protocol: MatrixProtocol;
  readonly path: RegExp;
  readonly recordings: Readonly<Record<Kind, string>>;
}

const recordedModels: readonly RecordedModel[] = [
  {
    model: 'chatting/some-model',
    protocol: chat,
    path: /\/chat\/completions$/,
    recordings: { text: 'openai/openai-text', tool: 'deepseek/deepseek-tool-call' },
  },
  {
    model: 'relaying/some-model',
    protocol: responses,
    path: /\/responses$/,
    recordings: { text: 'azure/azure-text.1', tool: 'azure/azure-tool-call.1' },
  },
  {
    model: 'anthropic/claude-haiku-4-5',
    protocol: messages,
    path: /\/messages$/,
    recordings: { text: 'anthropic/anthropic-text', tool: 'anthropic/anthropic-json-other-tool.1' },
  },
  {
    model: 'gemini/gemini-3-pro-preview',
    protocol: gemini,
    path: /:(?:stream)?[gG]enerateContent/,
    recordings: { text: 'gemini/google-text', tool: 'gemini/google-tool-call' },
  },
];

/** Models of a provider of each protocol. */
export const modelNames = recordedModels.map(({ model }) => model);

/** A model that generates what a JSON Schema asks for, which no recording does. */
export const SCHEMA_MODEL = 'sandbox/chat';

/** The arguments of the recorded calls. */
export const recordedPlace = { location: 'San Francisco' };

export interface RecordedModels {
  readonly server: ServerProcess;
  /** The texts of the model, without white space at their ends. */
  textOf(model: string, isStreamed: boolean): string;
  /** The last request that a provider received. */
  lastRequest(): ReceivedRequest;
  close(): Promise<void>;
}

/** A server with a provider of each protocol, which replays recordings: a call where a request has tools and no result yet. */
export async function startRecordedModels(): Promise<RecordedModels> {
  const provider = await startFakeProvider((request, response) => {
    const found = recordedModels.find(({ path }) => path.test(pathOf(request))) ?? null;
    // Lists of models are asked for, too.
    if (found === null) return refusal(404, 'There is no recording.')(request, response);
    const isStreamed = request.json.stream === true || request.path.includes(':streamGenerateContent');
    const name = found.recordings[kindOf(request)];
    return isStreamed
      ? replayStream(linesOf(name), formOf(found.protocol))(request, response)
      : replayDocument(documentOf(name))(request, response);
  });
  const server = await startRecordingServer(provider);
  return {
    server,
    textOf: (model, isStreamed) => textOf(model, isStreamed),
    lastRequest: () => {
      const last = provider.requests.at(-1);
      if (last === undefined) throw new Error('no request arrived');
      return last;
    },
    close: async () => {
      await server.dispose();
      await provider.close();
    },
  };
}

function startRecordingServer({ url }: FakeProvider): Promise<ServerProcess> {
  return startConfigured(`
providers:
  chatting: { base_url: "${url}", api_key: "sk-1", options: { api: chat } }
  relaying: { base_url: "${url}", api_key: "sk-2", options: { api: responses } }
  anthropic: { base_url: "${url}", api_key: "sk-3" }
  gemini: { base_url: "${url}", api_key: "sk-4" }
`);
}

function pathOf({ path }: ReceivedRequest): string {
  return path.split('?', 1)[0] ?? '';
}

const hasResult = /"role":\s*"tool"|"type":\s*"(?:function_call_output|tool_result)"|"functionResponse"/;

function kindOf({ json, body }: ReceivedRequest): Kind {
  return Array.isArray(json.tools) && json.tools.length > 0 && !hasResult.test(body) ? 'tool' : 'text';
}

function recorded(file: string): string {
  return readFileSync(new URL(`../../../fixtures/providers/${file}`, import.meta.url), 'utf8');
}

function linesOf(name: string): string {
  return recorded(`${name}.chunks.txt`);
}

/** The document of a recording; where only its stream was recorded, the message of that. */
function documentOf(name: string): string {
  if (name !== 'anthropic/anthropic-json-other-tool.1') return recorded(`${name}.json`);
  const [start, block] = eventsOf(name);
  const last = eventsOf(name).find(({ type }) => type === 'message_delta') ?? {};
  const { calls = [] } = messages.readEvents(eventsOf(name));
  const content = [{ ...block?.content_block, input: calls[0]?.input }];
  return JSON.stringify({ ...start?.message, ...last.delta, usage: last.usage, content });
}

// oxlint-disable-next-line typescript/no-explicit-any -- recorded JSON
function eventsOf(name: string): Readonly<Record<string, any>>[] {
  return linesOf(name)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));
}

function formOf(protocol: MatrixProtocol): NonNullable<Parameters<typeof replayStream>[1]> {
  if (protocol === chat) return { done: true };
  return protocol === gemini ? {} : { event: (data) => String(JSON.parse(data).type) };
}

function textOf(model: string, isStreamed: boolean): string {
  const found = recordedModels.find((each) => each.model === model);
  if (found === undefined) throw new Error(`no recording of ${model}`);
  const { protocol, recordings } = found;
  const read: ReadResponse = isStreamed
    ? protocol.readEvents(eventsOf(recordings.text))
    : protocol.readDocument(JSON.parse(documentOf(recordings.text)));
  return (read.text ?? '').trim();
}
