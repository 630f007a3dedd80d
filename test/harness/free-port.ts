import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the range (from 32,768 on Linux, from 49,152 elsewhere) from which the system gives a port to each connection that goes
 * out, and to each server that leaves the choice to it: what is free there now may be taken before a program listens on it, or
 * while it restarts.
 */
const FIRST_PORT = 10_000;
const PORT_COUNT = 20_000;
let next = FIRST_PORT + Math.floor(Math.random() * PORT_COUNT);

/** For a program that cannot have the system choose its port. No other process of tests gets it before this one ends. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < PORT_COUNT; tried++) {
    const port = next;
    next = port + 1 < FIRST_PORT + PORT_COUNT ? port + 1 : FIRST_PORT;
    if ((await reserve(port)) && (await isUnused(port))) return port;
  }
  throw new Error(`No port from ${FIRST_PORT} to ${FIRST_PORT + PORT_COUNT - 1} is free.`);
}

/** As no program of tests uses UDP, a socket of the same number tells other processes that the port is taken. */
function reserve(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref();
  return new Promise((resolve) => {
    socket.once('error', () => resolve(false));
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true));
  });
}

async function isUnused(port: number): Promise<boolean> {
  const probe = createServer();
  const opened = once(probe.listen(port, '127.0.0.1'), 'listening').then(
    () => true,
    () => false,
  );
  if (!(await opened)) return false;
  const closed = once(probe, 'close');
  probe.close();
  await closed;
  return true;
}
