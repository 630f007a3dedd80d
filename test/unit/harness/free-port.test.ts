import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { freePort } from '../../harness/free-port.ts';

/** All look at the same ports. */
const script = `
  Math.random = () => 0.5;
  const { freePort } = await import(${JSON.stringify(new URL('../../harness/free-port.ts', import.meta.url).href)});
  const ports = [];
  for (let port = 0; port < 200; port++) ports.push(await freePort());
  console.log(JSON.stringify(ports));
  process.stdin.resume();
`;

/** A process that lives until `end`. */
function startChooser(): { ports: Promise<number[]>; end: () => void } {
  const { stdout, stdin } = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]).child;
  if (stdout === null || stdin === null) throw new Error('The process has no pipes.');
  return {
    ports: once(stdout, 'data').then(([text]) => JSON.parse(String(text)) as number[]),
    end: () => stdin.end(),
  };
}

test('a port that a program is given is none that the system gives to connections', async () => {
  expect(await freePort()).toBeLessThan(32_768);
});

test('processes that choose at once choose different ports', async () => {
  const choosers = [startChooser(), startChooser(), startChooser()];
  const chosen = (await Promise.all(choosers.map(({ ports }) => ports))).flat();
  for (const { end } of choosers) end();
  expect(new Set(chosen).size).toBe(600);
});

test('a port on which something listens is not chosen', async () => {
  const following = (await freePort()) + 1;
  const server = createServer().listen(following, '127.0.0.1');
  // What listens there already is as good.
  await Promise.race([once(server, 'listening'), once(server, 'error')]).catch(() => undefined);
  expect(await freePort()).not.toBe(following);
  server.close();
});
