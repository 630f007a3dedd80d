import { Agent } from 'node:http';
import type { Duplex } from 'node:stream';
import { isIP, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import { WebSocket } from 'ws';
import { systemClock, type Clock } from '../../../calendar/clock.ts';

/** Of one message: as of a response that is not streamed. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

export interface WebSocketOptions {
  /** `http:` or `https:`. */
  readonly url: URL;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** Dials the socket, by the rules that hold for HTTP requests. */
  readonly dial: buildConnector.connector;
  /** For the socket, TLS, and the provider's response to the upgrade, each. */
  readonly timeoutMs: number;
  readonly clock?: Clock;
}

/** Opens a WebSocket to a provider; its events report the result. Redirects are not followed. */
export function openWebSocket(options: WebSocketOptions): WebSocket {
  const { url, headers, timeoutMs } = options;
  // The agent adds TLS.
  const address = new URL(`ws://${url.host}${url.pathname}${url.search}`);
  const agent = new DiallingAgent(options);
  const socket = new WebSocket(address, {
    headers: { host: url.host, ...headerObject(headers) },
    agent,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    handshakeTimeout: timeoutMs,
  });
  // Before it is open it knows nothing of the socket that the agent dials.
  socket.once('close', () => agent.destroy());
  return socket;
}

function headerObject(headers: readonly string[]): Record<string, string> {
  const object: Record<string, string> = {};
  for (let at = 0; at < headers.length; at += 2) object[headers[at] ?? ''] = headers[at + 1] ?? '';
  return object;
}

type OnConnection = (error: Error | null, socket: Duplex) => void;

/** Gives Node's HTTP client the socket of a dialler. */
class DiallingAgent extends Agent {
  readonly #options: WebSocketOptions;
  #socket: Socket | null = null;
  #isDestroyed = false;

  constructor(options: WebSocketOptions) {
    super();
    this.#options = options;
  }

  override createConnection(_options: unknown, onConnection?: OnConnection): undefined {
    const { url, dial } = this.#options;
    const { hostname, host, protocol, port } = url;
    const isSecure = protocol === 'https:';
    const name = hostname.replace(/^\[|\]$/g, '');
    // Without TLS, in which a dialler may agree on HTTP/2: a WebSocket is upgraded from HTTP/1.1.
    const destination = { hostname: name, host, protocol: 'http:', port: port || (isSecure ? '443' : '80') };
    dial(destination, (...dialled) => {
      const [error, socket] = dialled;
      if (error !== null) return onConnection?.(error, new Socket());
      this.#socket = socket;
      if (this.#isDestroyed) socket.destroy();
      else if (isSecure) this.#secure(socket, name, onConnection);
      else onConnection?.(null, socket);
    });
  }

  override destroy(): void {
    this.#isDestroyed = true;
    this.#socket?.destroy();
    super.destroy();
  }

  #secure(socket: Socket, name: string, onConnection: OnConnection | undefined): void {
    const { timeoutMs, clock = systemClock } = this.#options;
    // An IP address is no name that a client may send, yet the certificate must be of it.
    const names = { host: name, ...(isIP(name) === 0 && { servername: name }) };
    const secured = connectTls({ socket, ...names, ALPNProtocols: ['http/1.1'] }, () => {
      timer.cancel();
      secured.off('error', onError);
      onConnection?.(null, secured);
    });
    const timer = clock.setTimeout(
      () => secured.destroy(new Error(`The TLS handshake with ${name} did not end within ${timeoutMs} ms.`)),
      timeoutMs,
    );
    const onError = (error: Error): void => onConnection?.(error, secured);
    secured.once('error', onError);
    secured.once('close', () => timer.cancel());
  }
}
