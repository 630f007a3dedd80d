import { Agent, request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { malformedBodies } from '../harness/malformed-bodies.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { medianOf } from './median.ts';

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

function send(body: string): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${server.apiKey}` };
  return new Promise((resolve, reject) => {
    request(`${server.url}/graphql`, { agent, method: 'POST', headers }, (response) => {
      response.resume().once('end', resolve);
    })
      .once('error', reject)
      .end(body);
  });
}

/** Since it was last asked for. */
async function eventLoopDelayMs(): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/^sluice_event_loop_delay_p99_seconds (\S+)$/m.exec(text)?.[1]) * 1_000;
}

it(`keeps the 99th percentile of the event loop’s delay under 100 ms while ${BODIES} malformed bodies come`, async () => {
  const bodies = malformedBodies(BODIES);
  const median = await medianOf(async () => {
    const next = bodies.values();
    await eventLoopDelayMs();
    const work = async (): Promise<void> => {
      for (const body of next) await send(body);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return eventLoopDelayMs();
  });
  expect(median).toBeLessThan(100);
});
