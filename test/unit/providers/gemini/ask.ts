import OpenAI, { APIError } from 'openai';
import { json, pieces, startFakeProvider, type ReceivedRequest, type Script } from '../../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';

/** One of Google's answers with these parts. */
export function answerOf(parts: readonly unknown[], more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
    modelVersion: 'gemini-3-pro-preview',
    responseId: 'response-1',
    ...more,
  };
}

export function documentOf(answer: unknown): Script {
  return json(200, answer);
}

/** Google's stream of these events: CRLF, no end mark. */
export function streamOf(events: readonly unknown[]): Script {
  return pieces(
    events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`),
    'end',
  );
}

export interface Conversation {
  readonly client: OpenAI;
  readonly requests: readonly ReceivedRequest[];
  readonly gateway: TestGateway;
  answerWith(script: Script): void;
}

/** The official SDK against a gateway, and Google played by scripts. */
export async function withGemini<T>(script: Script, talk: (conversation: Conversation) => Promise<T>): Promise<T> {
  const upstream = await startFakeProvider(script);
  const gateway = await startGateway({ providers: { gemini: upstream.url.replace(/\/v1$/, '/v1beta') } });
  const client = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  try {
    const { requests } = upstream;
    return await talk({ client, gateway, requests, answerWith: (next) => upstream.answerWith(next) });
  } finally {
    await gateway.close();
    await upstream.close();
  }
}

/** The error that a chat ends with. */
export function failure(script: Script): Promise<APIError> {
  return failureOf(script, false);
}

/** The error that a streamed chat ends with. */
export function streamFailure(script: Script): Promise<APIError> {
  return failureOf(script, true);
}

function failureOf(script: Script, stream: boolean): Promise<APIError> {
  return withGemini(script, async ({ client }) => {
    try {
      await client.chat.completions.create({
        model: 'gemini/gemini-3-pro-preview',
        messages: [{ role: 'user', content: 'Hello' }],
        stream,
      });
    } catch (error) {
      if (error instanceof APIError) return error;
      throw error;
    }
    throw new Error('no error came');
  });
}
