import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { messageWithKeyAdvice, renderOpenAiError, SluiceError } from '../../errors/index.ts';

/** By status. */
const furtherHeaders: Readonly<Record<number, string>> = {
  401: 'www-authenticate: Bearer\r\n',
  426: 'upgrade: HTTP/1.1\r\n',
};

/** Rejects a WebSocket upgrade on a path that does not support it. */
export function refuseUpgrade(request: IncomingMessage, socket: Duplex): void {
  const [path = ''] = (request.url ?? '').split('?', 1);
  endWithError(socket, new SluiceError('unknown_url', { values: { method: 'GET', path: path.slice(0, 200) } }));
}

/**
 * Answers with an error where there is no response object: an upgrade request, and a connection whose request is not read.
 * @param origin public origin of this server, for advice
 */
export function endWithError(socket: Duplex, error: SluiceError, origin?: string): void {
  const { status, retryAfterMs } = error;
  const body = renderOpenAiError(error, origin === undefined ? error.message : messageWithKeyAdvice(error, origin));
  const retry = retryAfterMs === undefined ? '' : `retry-after: ${Math.ceil(retryAfterMs / 1_000)}\r\n`;
  const further = `${furtherHeaders[status] ?? ''}${retry}`;
  const headers = `${further}content-type: application/json\r\ncache-control: no-store\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}`;
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${headers}\r\n\r\n${body}`);
}
