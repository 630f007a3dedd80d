import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { malformedBodies } from '../../harness/malformed-bodies.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';

const BODIES = 10_000;
const AT_ONCE = 20;

let server: ServerProcess;
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

beforeAll(async () => {
  server = await startServer();
});

afterAll(async () => {
  agent.destroy();
  await server.dispose();
});

function statusOf(body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request(
      `${server.url}/graphql`,
      {
        agent,
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${server.apiKey}` },
      },
      (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode ?? 0));
      },
    )
      .once('error', reject)
      .end(body);
  });
}

describe('malformed bodies', () => {
  it(`of ${BODIES} kinds are the caller’s fault, and never the server’s`, async () => {
    const faults: string[] = [];
    const statuses = new Map<number, number>();
    const next = malformedBodies(BODIES).values();
    const work = async (): Promise<void> => {
      for (const body of next) {
        const status = await statusOf(body).catch(() => 0);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 0 || status >= 500) faults.push(`${status} ${body.slice(0, 200)}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(faults).toEqual([]);
    expect(statuses.get(400)).toBeGreaterThan(BODIES / 2);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(server.output()).not.toContain('GraphQL operation failed');
  });
});
