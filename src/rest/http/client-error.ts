import type { Duplex } from 'node:stream';
import { SluiceError, renderOpenAiError, type ErrorCode } from '../../errors/index.ts';

const reasons: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'headers_timeout',
};

/**
 * Responds to malformed HTTP, for `server.on('clientError')`: Node would send an empty body, but clients of this API expect an
 * error in JSON.
 */
export function answerClientError(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const rendered = new SluiceError(reasons[error.code ?? ''] ?? 'malformed_http');
  const body = renderOpenAiError(rendered);
  socket.end(
    `HTTP/1.1 ${rendered.status} ${statusTexts[rendered.status] ?? 'Bad Request'}\r\n` +
      `content-type: application/json\r\ncache-control: no-store\r\nx-content-type-options: nosniff\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

const statusTexts: Readonly<Record<number, string>> = {
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};
