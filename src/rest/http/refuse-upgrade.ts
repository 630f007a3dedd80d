import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { SluiceError, renderOpenAiError } from '../../errors/index.ts';

/** Codex opens a WebSocket here. After 426 it uses POST immediately; after 404 it retries for seconds. */
const RESPONSES_PATH = '/v1/responses';

/** Rejects a WebSocket upgrade on a path that does not support it. */
export function refuseUpgrade(request: IncomingMessage, socket: Duplex): void {
  const [path = ''] = (request.url ?? '').split('?', 1);
  const error =
    path.replace(/\/$/, '') === RESPONSES_PATH
      ? new SluiceError('websocket_not_offered', { values: { path: RESPONSES_PATH } })
      : new SluiceError('unknown_url', { values: { method: 'GET', path: path.slice(0, 200) } });
  const body = renderOpenAiError(error);
  const status = error.status === 426 ? '426 Upgrade Required\r\nupgrade: HTTP/1.1' : '404 Not Found';
  const headers = `content-type: application/json\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}`;
  socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`);
}
