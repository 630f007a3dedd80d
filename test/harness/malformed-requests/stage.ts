import OpenAI, { toFile } from 'openai';
import { startConfigured } from '../configured-server.ts';
import type { ServerProcess } from '../server-process.ts';
import { startEchoingProvider, type EchoingProvider } from './echoing-provider.ts';
import { malformedRoutes, type MalformedRoute } from './routes.ts';

/** A server with a provider of each protocol, and the routes with what they name. */
export interface MalformedStage {
  readonly server: ServerProcess;
  readonly provider: EchoingProvider;
  readonly routes: Readonly<Record<string, MalformedRoute>>;
  close(): Promise<void>;
}

export async function startMalformedStage(): Promise<MalformedStage> {
  const provider = await startEchoingProvider();
  const server = await startConfigured(`
limits: { requests_per_minute: 1000000, tokens_per_minute: 1000000000, requests_per_day: 10000000, concurrency: 100 }
providers:
  chatting: { base_url: "${provider.url}", api_key: "sk-1", options: { api: chat } }
  relaying: { base_url: "${provider.url}", api_key: "sk-2", options: { api: responses } }
  anthropic: { base_url: "${provider.url}", api_key: "sk-3" }
  gemini: { base_url: "${provider.url}", api_key: "sk-4" }
  amazon-bedrock: { base_url: "${provider.url}", api_key: "sk-5" }
  google-vertex: { base_url: "${provider.url}", api_key: "sk-6" }
  ollama: { base_url: "${provider.url}" }
`);
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey });
  const upload = { filename: 'a.txt', bytes: 1_000_000, mime_type: 'text/plain', purpose: 'user_data' } as const;
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const routes = malformedRoutes({
    completion: (await client.chat.completions.create({ model: 'sandbox/chat', messages, store: true })).id,
    conversation: (await client.conversations.create()).id,
    file: (await client.files.create({ file: await toFile(Buffer.from('{}'), 'in.jsonl'), purpose: 'batch' })).id,
    upload: (await client.uploads.create(upload)).id,
    otherUpload: (await client.uploads.create(upload)).id,
  });
  const close = async (): Promise<void> => {
    await server.dispose();
    await provider.close();
  };
  return { server, provider, routes, close };
}
