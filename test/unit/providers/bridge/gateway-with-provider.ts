import OpenAI from 'openai';
import type { ConnectionSettings } from '../../../../src/providers/contract.ts';
import { startFakeProvider, type FakeProvider, type Script } from '../../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';

/** A gateway with one fake provider, called with the official SDK. */
export interface GatewayWithProvider {
  readonly upstream: FakeProvider;
  readonly gateway: TestGateway;
  readonly client: OpenAI;
  close(): Promise<void>;
}

export async function startWithProvider(
  provider: string,
  script: Script,
  settings: Partial<ConnectionSettings> = {},
): Promise<GatewayWithProvider> {
  const upstream = await startFakeProvider(script);
  const gateway = await startGateway({ providers: { [provider]: { baseUrl: upstream.url, ...settings } } });
  return {
    upstream,
    gateway,
    client: new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 }),
    close: async () => {
      await gateway.close();
      await upstream.close();
    },
  };
}

export const hello = [{ role: 'user' as const, content: 'Hello' }];

/** The message of a stream, joined like in clients that support `reasoning_details`. */
export async function completeMessage(
  stream: AsyncIterable<OpenAI.ChatCompletionChunk>,
): Promise<OpenAI.ChatCompletionAssistantMessageParam & { reasoning_details?: unknown }> {
  const calls: { id: string; type: 'function'; function: { name: string; arguments: string } }[] = [];
  let content = '';
  let details: unknown;
  for await (const chunk of stream) {
    const delta: (OpenAI.ChatCompletionChunk.Choice.Delta & { reasoning_details?: unknown }) | undefined =
      chunk.choices[0]?.delta;
    content += delta?.content ?? '';
    details = delta?.reasoning_details ?? details;
    for (const { index, id, function: called } of delta?.tool_calls ?? []) {
      const call = (calls[index] ??= { id: id ?? '', type: 'function', function: { name: '', arguments: '' } });
      call.function.name += called?.name ?? '';
      call.function.arguments += called?.arguments ?? '';
    }
  }
  return {
    role: 'assistant',
    content,
    tool_calls: calls,
    ...(details !== undefined && { reasoning_details: details }),
  };
}
