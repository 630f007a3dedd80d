/**
 * Run as a separate process: reports how many files of the AI SDK are loaded at each step of a provider's first call.
 */
import { registerHooks } from 'node:module';

let loaded = 0;
registerHooks({
  load: (url, context, next) => {
    if (url.includes('/@ai-sdk/')) loaded++;
    return next(url, context);
  },
});

const { openConnection } = await import('../../../../src/providers/registry.ts');
const atStart = loaded;
const connection = openConnection('cohere', {
  id: 'cohere',
  apiKey: 'key',
  baseUrl: 'http://127.0.0.1:1/v2',
  connectTimeoutMs: 60_000,
  options: {},
});
const opened = loaded;
const request = { messages: [{ role: 'user', content: 'Hello' }] } as const;
const context = { model: 'm', request, stream: false, wantsUsage: false, requestId: 'r', parameters: 'drop' } as const;
const answered = await new Promise<string>((resolve) => {
  connection.chat(
    { ...context, body: Buffer.from('{}') },
    {
      onConnecting: () => undefined,
      onHead: () => undefined,
      onData: () => undefined,
      onParts: () => undefined,
      onResult: () => undefined,
      onEnd: () => resolve('end'),
      onFailure: ({ code }) => resolve(code),
    },
  );
});
await connection.close();
process.stdout.write(JSON.stringify({ atStart, opened, answered, called: loaded }));
