import { Agent } from 'node:http';
import type { Duplex } from 'node:stream';
import { isIP, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import { WebSocket } from 'ws';

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
}

/** Opens a WebSocket to a provider; its events report the result. Redirects are not followed. */
export function openWebSocket({ url, headers, dial, timeoutMs }: WebSocketOptions): WebSocket {
  // The agent adds TLS.
  const address = new URL(`ws://${url.host}${url.pathname}${url.search}`);
  return new WebSocket(address, {
    headers: { host: url.host, ...headerObject(headers) },
    agent: new DiallingAgent(url, dial),
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    handshakeTimeout: timeoutMs,
  });
}

function headerObject(headers: readonly string[]): Record<string, string> {
  const object: Record<string, string> = {};
  for (let at = 0; at < headers.length; at += 2) object[headers[at] ?? ''] = headers[at + 1] ?? '';
  return object;
}

type OnConnection = (error: Error | null, socket: Duplex) => void;

/** Gives Node's HTTP client the socket of a dialler. */
class DiallingAgent extends Agent {
  readonly #url: URL;
  readonly #dial: buildConnector.connector;

  constructor(url: URL, dial: buildConnector.connector) {
    super();
    this.#url = url;
    this.#dial = dial;
  }

  override createConnection(_options: unknown, onConnection?: OnConnection): undefined {
    const { hostname, host, protocol, port } = this.#url;
    const isSecure = protocol === 'https:';
    const name = hostname.replace(/^\[|\]$/g, '');
    // Without TLS, in which a dialler may agree on HTTP/2: a WebSocket is upgraded from HTTP/1.1.
    const destination = { hostname: name, host, protocol: 'http:', port: port || (isSecure ? '443' : '80') };
    this.#dial(destination, (...dialled) => {
      const [error, socket] = dialled;
      if (error !== null) onConnection?.(error, new Socket());
      else if (isSecure) secure(socket, name, onConnection);
      else onConnection?.(null, socket);
    });
  }
}

function secure(socket: Socket, name: string, onConnection: OnConnection | undefined): void {
  const options = { socket, ALPNProtocols: ['http/1.1'], ...(isIP(name) === 0 && { servername: name }) };
  const secured = connectTls(options, () => {
    secured.off('error', onError);
    onConnection?.(null, secured);
  });
  const onError = (error: Error): void => onConnection?.(error, secured);
  secured.once('error', onError);
}
