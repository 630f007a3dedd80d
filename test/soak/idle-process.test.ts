import { afterAll, beforeAll, expect, test } from 'vitest';
import { delay, systemClock } from '../../src/calendar/clock.ts';
import { temporaryDataDir } from '../harness/databases.ts';
import { launchServer, type LaunchedServer } from '../harness/launch-server.ts';
import { shared } from '../harness/shared-resources.ts';

const REQUESTS = 3_000;
const AT_ONCE = 16;
/** V8 waits for 8 s without much to do, and looks again after each 8 s. */
const TIMEOUT_MS = 240_000;

let place: Awaited<ReturnType<typeof temporaryDataDir>>;
let server: LaunchedServer;

beforeAll(async () => {
  await shared('build');
  place = await temporaryDataDir();
  server = await launchServer(place.options.dataDir, { PORT: '0' }, null, {
    v8: ['--trace-gc', '--trace-memory-reducer'],
  });
}, TIMEOUT_MS);

afterAll(async () => {
  await server?.end('SIGTERM');
  await place?.remove();
});

async function ask(): Promise<void> {
  const body = JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }] });
  const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' };
  const response = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body });
  expect(response.status).toBe(200);
  await response.arrayBuffer();
}

test(
  'a process without requests is collected, and keeps the compiled code of its requests',
  async () => {
    for (let sent = 0; sent < REQUESTS; sent += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, ask));
    const before = server.output().length;
    const printed = (): string => server.output().slice(before);
    while (!/Memory reducer: finished GC #\d+ \(done\)/.test(printed())) await delay(systemClock, 200);
    const collections = printed().match(/Mark-Compact.*?MB/g) ?? [];
    expect(collections.length).toBeGreaterThan(0);
    // V8 calls the ones `reduce` that drop what no living object uses, such as the shapes that compiled code knows.
    expect(collections.filter((each) => each.includes('(reduce)'))).toEqual([]);
  },
  TIMEOUT_MS,
);
