import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { chunk, usage, type Script } from './fake-provider.ts';

/** Responses of a provider that have begun, and end together. */
export class HeldStreams {
  readonly #end = Promise.withResolvers<void>();
  /** The number of requests that it has received. */
  count = 0;

  readonly script: Script = async (_request, response) => {
    this.count++;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ role: 'assistant', content: 'One ' }));
    await this.#end.promise;
    response.write(chunk({ content: 'two' }) + chunk({}, 'stop') + chunk({}, null, { choices: [], usage }));
    response.end('data: [DONE]\n\n');
  };

  end(): void {
    this.#end.resolve();
  }
}

export interface Opened {
  readonly protocol: Protocol;
  readonly response: IncomingMessage;
  /** The complete body. */
  readonly body: Promise<string>;
}

/** Sends a streamed request on a connection of its own. @returns null where that was closed without a response */
export async function openStream(
  { url, apiKey }: { readonly url: string; readonly apiKey: string },
  protocol: Protocol,
): Promise<Opened | null> {
  const { path, body } = streamed[protocol];
  const sent = request(url + path, {
    method: 'POST',
    agent: new Agent(),
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
    },
  });
  sent.end(JSON.stringify(body));
  try {
    const [response]: IncomingMessage[] = await once(sent, 'response');
    if (response === undefined) return null;
    const body = textOf(response);
    // A test that fails before it reads the body reports its own fault.
    body.catch(() => undefined);
    return { protocol, response, body };
  } catch {
    return null;
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part;
  return text;
}

const model = 'openai/gpt-4.1-mini';

/** By protocol. */
const streamed = {
  chat: {
    path: '/v1/chat/completions',
    body: { model, stream: true, messages: [{ role: 'user', content: 'Count.' }] },
  },
  responses: { path: '/v1/responses', body: { model, stream: true, input: 'Count.' } },
  messages: {
    path: '/v1/messages',
    body: { model, stream: true, max_tokens: 100, messages: [{ role: 'user', content: 'Count.' }] },
  },
  gemini: {
    path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    body: { contents: [{ role: 'user', parts: [{ text: 'Count.' }] }] },
  },
} as const;

type Protocol = keyof typeof streamed;

export const protocols: readonly Protocol[] = ['chat', 'responses', 'messages', 'gemini'];
