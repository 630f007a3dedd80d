import { frame } from '../aws-event-stream.ts';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { chat } from '../../api/rest/protocol-matrix/protocols/chat.ts';
import { gemini } from '../../api/rest/protocol-matrix/protocols/gemini.ts';
import { messages } from '../../api/rest/protocol-matrix/protocols/messages.ts';
import { responses } from '../../api/rest/protocol-matrix/protocols/responses.ts';
import {
  dataEvent,
  type Json,
  type MatrixProtocol,
  type ResponseContent,
} from '../../api/rest/protocol-matrix/matrix-protocol.ts';

/** A provider of each protocol on loopback, which answers with parts of what it received, and remembers nothing. */
export interface EchoingProvider {
  readonly url: string;
  /** Requests that have arrived, by the protocol. */
  readonly arrived: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

const ECHOED_CHARACTERS = 200;
/** Its frames have the events of Messages. */
const BEDROCK_STREAM = '/invoke-with-response-stream';
const VECTOR = [0.25, -0.5];

const PREDICTION = { embeddings: { values: VECTOR, statistics: { token_count: 3, truncated: false } } };

export async function startEchoingProvider(): Promise<EchoingProvider> {
  const arrived = new Map<string, number>();
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const path = (incoming.url ?? '').split('?', 1)[0] ?? '';
      const body = Buffer.concat(chunks).toString();
      const protocol = protocolOf(path);
      const name = protocol?.name ?? path.split(/[/:]/).at(-1) ?? '';
      arrived.set(name, (arrived.get(name) ?? 0) + 1);
      try {
        if (protocol === null) answerOther(path, body === '' ? {} : JSON.parse(body), response);
        else generate(protocol, path, body, response);
      } catch (error) {
        // No provider understands it, so that none may receive it.
        response.writeHead(500).end(String(error));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    arrived,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function protocolOf(path: string): MatrixProtocol | null {
  if (path.endsWith('/chat/completions')) return chat;
  if (path.endsWith('/responses')) return responses;
  if (path.endsWith('/messages') || path.endsWith('/invoke') || path.endsWith(BEDROCK_STREAM)) return messages;
  return /:(?:generateContent|streamGenerateContent)$/.test(path) ? gemini : null;
}

function generate(protocol: MatrixProtocol, path: string, body: string, response: ServerResponse): void {
  const isBedrockStream = path.endsWith(BEDROCK_STREAM);
  const isStream = isBedrockStream || path.endsWith(':streamGenerateContent') || JSON.parse(body).stream === true;
  if (body.includes('"compaction_trigger"')) return send(response, compaction);
  const content = contentOf(body);
  if (!isStream) return send(response, protocol.writeDocument(content));
  const events = protocol.writeEvents(content) ?? [];
  response.writeHead(200, { 'content-type': isBedrockStream ? EVENT_STREAM : 'text/event-stream' });
  response.end(isBedrockStream ? Buffer.concat(events.map(frameOf)) : events.join(''));
}

const EVENT_STREAM = 'application/vnd.amazon.eventstream';

function frameOf(event: string): Buffer {
  const json = /^data: (.*)$/m.exec(event)?.[1] ?? '';
  return frame(JSON.stringify({ chunk: { bytes: Buffer.from(json).toString('base64') } }));
}

/** Some of the body, and calls of the tool that it names first, if there is one. */
function contentOf(body: string): ResponseContent {
  const text = body.slice(-ECHOED_CHARACTERS);
  const named = /"tools":\s*\[[^\]]*?"name":\s*("(?:[^"\\]|\\.)+")/.exec(body)?.[1];
  if (named === undefined || body.length % 2 === 0) return { text, stop: 'stop' };
  return { text, calls: [{ id: 'call_9', name: JSON.parse(named), input: { at: text } }], stop: 'tools' };
}

const compaction = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_795_000_000,
  status: 'completed',
  model: 'recorded',
  output: [{ type: 'compaction', id: 'cmp_1', encrypted_content: 'c2VjcmV0' }],
  usage: {
    input_tokens: 20,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 25,
  },
};

function answerOther(path: string, body: Json, response: ServerResponse): void {
  if (!path.endsWith('/completions')) return send(response, otherAnswer(path, body));
  const choice = { index: 0, text: JSON.stringify(body).slice(-ECHOED_CHARACTERS), logprobs: null };
  const head = { id: 'cmpl-1', object: 'text_completion', created: 1_795_000_000, model: 'recorded' };
  const usage = { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 };
  const document = { ...head, choices: [{ ...choice, finish_reason: 'stop' }], usage };
  if (body.stream !== true) return send(response, document);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  return void response.end(`${dataEvent(document)}data: [DONE]\n\n`);
}

function otherAnswer(path: string, { input, instances, requests }: Json): object {
  if (path.endsWith('/count-tokens')) return { inputTokens: 20 };
  if (path.endsWith(':predict')) return { predictions: [instances].flat().map(() => PREDICTION) };
  if (path.endsWith('/count_tokens')) return { input_tokens: 20 };
  if (path.endsWith(':countTokens')) return { totalTokens: 20 };
  if (path.endsWith(':embedContent')) return { embedding: { values: VECTOR } };
  if (path.endsWith(':batchEmbedContents')) return { embeddings: [requests].flat().map(() => ({ values: VECTOR })) };
  const data = [input].flat().map((_text, index) => ({ object: 'embedding', index, embedding: VECTOR }));
  return { object: 'list', model: 'recorded', data, usage: { prompt_tokens: 3, total_tokens: 3 } };
}

function send(response: ServerResponse, document: object | null): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(document));
}
