import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Gauge } from '../../gateway/metrics/metrics.ts';
import type { ErrorRequestHandler, Request, Response } from 'express';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { ConnectionRoom, Descriptors } from '../../descriptors/descriptors.ts';
import { resourcesExhausted, type SluiceError } from '../../errors/index.ts';
import { formatOfRequest } from './request-format.ts';
import { drainRequest } from '../http/drain-request.ts';
import type { First } from '../http/express-server.ts';
import { endWithError } from '../http/socket-error.ts';

/** For the request of a connection that is refused, and for the rest of its body. */
const REFUSAL_MS = 5_000;
/** What probes and operators read. */
const servedAlways: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Answers connections with 503 while the process is short of file descriptors. A connection for which none is left is closed by the
 * system without a response, and so might be the files that usage is recorded in.
 */
export class ConnectionLimit {
  /** Connections that were answered with 503, or closed. */
  refused = 0;
  readonly #descriptors: Pick<Descriptors, 'roomFor'>;
  readonly #onClosed: (error: SluiceError) => void;
  readonly #clock: Clock;
  readonly #refusing = new Map<Socket, Exclude<ConnectionRoom, 'full'>>();

  /** @param onClosed called for each connection that is closed before its request is read */
  constructor(
    descriptors: Pick<Descriptors, 'roomFor'>,
    onClosed: (error: SluiceError) => void,
    clock: Clock = systemClock,
  ) {
    this.#descriptors = descriptors;
    this.#onClosed = onClosed;
    this.#clock = clock;
  }

  /** Before other listeners of the server. */
  watch(server: Server): void {
    server.prependListener('connection', (socket: Socket) => {
      const room = this.#descriptors.roomFor(descriptorOf(socket));
      if (room === 'full') return;
      this.refused++;
      this.#expectWithin(REFUSAL_MS, socket);
      this.#refusing.set(socket, room);
      socket.once('close', () => this.#refusing.delete(socket));
      if (room === 'none') this.#close(socket);
    });
    server.prependListener('upgrade', (request, socket: Socket) => {
      if (this.#refusing.get(socket) !== 'refusal') return;
      endWithError(socket, resourcesExhausted(RESOURCE));
    });
  }

  /** @param fail renders the error in the client's protocol */
  before(first: First, fail: ErrorRequestHandler): First {
    return (request, response) => {
      const room = this.#refusing.size === 0 ? undefined : this.#refusing.get(request.socket);
      // It has its response. Unread, it would end the connection with a reset, which may discard the response.
      if (room === 'none') request.resume();
      else if (room === undefined || servedAlways.has(request.url)) return first(request, response);
      else this.#answer(request, response, fail);
      return true;
    };
  }

  /** Once the request was read: after an earlier response, the client's system may discard it. */
  #answer(request: Request, response: Response, fail: ErrorRequestHandler): void {
    response.shouldKeepAlive = false;
    const format = formatOfRequest(request);
    if (format !== null) response.locals.clientFormat = format;
    drainRequest(request, () => fail(resourcesExhausted(RESOURCE), request, response, () => undefined), this.#clock);
  }

  /** Whatever the request: its handling would need descriptors that are not there. */
  #close(socket: Socket): void {
    const error = resourcesExhausted(RESOURCE);
    this.#onClosed(error);
    endWithError(socket, error);
  }

  #expectWithin(withinMs: number, socket: Socket): void {
    const timer = this.#clock.setTimeout(() => socket.destroy(), withinMs).unref();
    socket.once('close', () => timer.cancel());
  }
}

const RESOURCE = 'file descriptors';

export function connectionGauge(limit: Pick<ConnectionLimit, 'refused'>): Gauge {
  return {
    name: 'connections_refused_total',
    type: 'counter',
    help: 'Connections of clients that were answered with 503, because the process was short of file descriptors.',
    read: () => limit.refused,
  };
}

declare module 'node:net' {
  interface Socket {
    /** Internal to Node. */
    readonly _handle?: { readonly fd?: number } | null;
  }
}

/** -1 where the system has none. */
function descriptorOf(socket: Socket): number {
  return socket._handle?.fd ?? -1;
}
