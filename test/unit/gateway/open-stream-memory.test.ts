import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collector } from '../../../src/gateway/metrics/collector.ts';
import { chunk } from '../../harness/fake-provider.ts';
import { key, secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

const STREAMS = 32;
const PROMPT_BYTES = 512 * 1024;
const collect = collector();

/** Bytes in use, of JavaScript's heap and outside of it. */
function usedBytes(): number {
  collect({ type: 'major', execution: 'sync' });
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('streams that are open', () => {
  let provider: Server;
  let received: Map<ServerResponse, number>;
  let gateway: TestGateway;
  const clients: Socket[] = [];

  beforeAll(async () => {
    received = new Map();
    provider = createServer((request, response) => {
      let bytes = 0;
      request.on('data', (part: Buffer) => (bytes += part.length));
      request.on('end', () => {
        received.set(response, bytes);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(chunk({ content: 'One' }));
      });
    });
    await once(provider.listen(0, '127.0.0.1'), 'listening');
    const address = provider.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    gateway = await startGateway({
      openai: `http://127.0.0.1:${port}/v1`,
      key: { limits: { ...key.limits, tokensPerMinute: 1e9 } },
    });
  });

  afterAll(async () => {
    clients.forEach((client) => client.destroy());
    await gateway.close();
    provider.closeAllConnections();
    provider.close();
  });

  async function open(body: Buffer): Promise<void> {
    const client = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    clients.push(client);
    client.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: here\r\nauthorization: Bearer ${secret}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    client.write(body);
    for await (const part of client.iterator({ destroyOnReturn: false })) if (String(part).includes('One')) return;
  }

  it('retain no prompt that their provider has received', async () => {
    const prompt = (content: string): Buffer =>
      Buffer.from(
        JSON.stringify({ model: 'openai/gpt-4.1-mini', stream: true, messages: [{ role: 'user', content }] }),
      );
    await open(prompt('Hello'));
    const body = prompt('x'.repeat(PROMPT_BYTES));
    const before = usedBytes();
    for (let count = 0; count < STREAMS; count++) await open(body);
    expect([...received.values()].filter((bytes) => bytes >= PROMPT_BYTES)).toHaveLength(STREAMS);
    // The provider's side of this process may still have read parts of the last ones.
    await expect
      .poll(() => usedBytes() - before, { timeout: 20_000, interval: 100 })
      .toBeLessThan((STREAMS * PROMPT_BYTES) / 4);
  });
});
