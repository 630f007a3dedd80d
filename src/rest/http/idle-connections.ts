import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { systemClock, type Clock } from '../../calendar/clock.ts';

/** At most. */
const SWEEP_MS = 5_000;
const busy = Symbol('answers a request');

declare module 'node:net' {
  interface Socket {
    [busy]?: boolean;
  }
}

interface Seen {
  traffic: number;
  /** Monotonic time of the last observed change of traffic. */
  changedAt: number;
}

/**
 * Closes connections without traffic for `idleMs` between requests. Node's keep-alive timeout sets a timer after each response and
 * clears it at the next request, which is a twentieth of the cost of a small request.
 */
export function closeIdleConnections(server: Server, idleMs: number, clock: Clock = systemClock): void {
  server.keepAliveTimeout = 0;
  const connections = new Map<Socket, Seen>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { traffic: 0, changedAt: clock.monotonic() });
    socket.once('close', () => connections.delete(socket));
  });
  const sweep = (): void => {
    const now = clock.monotonic();
    for (const [socket, seen] of connections) {
      const traffic = socket.bytesRead + socket.bytesWritten;
      if (socket[busy] === true || traffic !== seen.traffic) {
        seen.traffic = traffic;
        seen.changedAt = now;
      } else if (now - seen.changedAt >= idleMs) socket.destroy();
    }
  };
  const sweeper = clock.setInterval(sweep, Math.min(SWEEP_MS, idleMs)).unref();
  server.once('close', () => sweeper.cancel());
  // Upgraded connections are closed elsewhere.
  server.prependListener('upgrade', (_request, socket: Socket) => connections.delete(socket));
}

/** Called when a response is assigned to its connection, and when it is detached. */
export function setBusy(socket: Socket, isBusy: boolean): void {
  socket[busy] = isBusy;
}
