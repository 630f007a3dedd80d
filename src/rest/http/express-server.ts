import {
  createServer,
  IncomingMessage,
  ServerResponse,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Express, Locals, Request, Response } from 'express';
import { systemClock, type Clock } from '../../calendar/clock.ts';

/** Handles a request before Express. @returns whether it was handled */
export type First = (request: Request, response: Response) => boolean;

/**
 * A server whose messages are created with the prototypes of Express. Express sets them on each message, which costs more than
 * everything else it does. `first` runs before the routing of Express, which costs as much as admission.
 */
export function createExpressServer(
  app: Express,
  first: First,
  options: ServerOptions = {},
  clock: Clock = systemClock,
): Server {
  let isClosing = false;
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<Message extends IncomingMessage> extends ServerResponse<Message> {
    locals: Partial<Locals> = { identity: undefined, key: undefined, clock };

    override assignSocket(socket: Socket): void {
      setResponse(socket, this);
      if (isClosing) this.shouldKeepAlive = false;
      super.assignSocket(socket);
    }

    override detachSocket(socket: Socket): void {
      setResponse(socket, null);
      super.detachSocket(socket);
    }
  }
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  Object.assign(app, { request: ExpressRequest.prototype, response: ExpressResponse.prototype });
  const listener = (request: Request, response: Response): void => {
    if (!first(request, response)) app(request, response);
  };
  const server = createServer(
    { ...options, IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse },
    // The prototypes make the messages Express messages, which the types cannot express.
    listener as unknown as RequestListener<typeof ExpressRequest, typeof ExpressResponse>,
  );
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.once(CLOSING, () => {
    isClosing = true;
    // Without effect on a response whose head was sent: the next one closes its connection.
    for (const socket of connections) if (socket[current]) socket[current].shouldKeepAlive = false;
  });
  return server;
}

/**
 * From now on each response has `Connection: close`, so that clients open their next connection elsewhere. Connections without a
 * request remain open: a request may be on its way.
 */
export function closeAfterResponses(server: Server): void {
  server.emit(CLOSING);
}

/** At most. */
const SWEEP_INTERVAL_MS = 5_000;
/** An event of the server: the constant names none of Node's. */
const CLOSING = 'connections close after their responses';
const current = Symbol('the response that is being sent');

declare module 'node:net' {
  interface Socket {
    [current]?: ServerResponse | null;
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
      if (socket[current] || traffic !== seen.traffic) {
        seen.traffic = traffic;
        seen.changedAt = now;
      } else if (now - seen.changedAt >= idleMs) socket.destroy();
    }
  };
  const sweeper = clock.setInterval(sweep, Math.min(SWEEP_INTERVAL_MS, idleMs)).unref();
  server.once('close', () => sweeper.cancel());
  // Upgraded connections are closed elsewhere.
  server.prependListener('upgrade', (_request, socket: Socket) => connections.delete(socket));
}

/** Called when a response is assigned to its connection, and when it is detached. */
function setResponse(socket: Socket, response: ServerResponse | null): void {
  socket[current] = response;
}
