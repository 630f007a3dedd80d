import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { SluiceError, renderOpenAiError } from '../../errors/index.ts';

/** Rejects a WebSocket upgrade on a path that does not support it. */
export function refuseUpgrade(request: IncomingMessage, socket: Duplex): void {
  const [path = ''] = (request.url ?? '').split('?', 1);
  rejectUpgrade(socket, new SluiceError('unknown_url', { values: { method: 'GET', path: path.slice(0, 200) } }));
}

/** Answers an upgrade request with an error. */
export function rejectUpgrade(socket: Duplex, error: SluiceError): void {
  const body = renderOpenAiError(error);
  const { status } = error;
  const upgrade = status === 426 ? 'upgrade: HTTP/1.1\r\n' : '';
  const headers = `${upgrade}content-type: application/json\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}`;
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${headers}\r\n\r\n${body}`);
}
