import type { Response } from 'express';
import { systemClock } from '../calendar/clock.ts';

declare global {
  // Express names its extension point so.
  namespace Express {
    interface Response {
      /** Node's own: the head that goes out before the first bytes of the body; null until it is made. */
      _header?: string | null;
    }
  }
}

const SECOND_MS = 1_000;
let secondOfHeaders = 0;
let ownHeaders = '';

/**
 * `writeHead(200, headers)` of a connection that goes on, with headers that are this server's own text: Node would look through
 * each name and value, which is a twelfth of what a small request costs. What goes out is the same to the byte.
 * @param headers as they go out: `name: value` and a line's end each, in printable ASCII. Of a body whose length is among them,
 * unless `isStream`
 */
export function writeOwnHead(response: Response, headers: string, isStream = false): void {
  const isUsual = response.shouldKeepAlive && (!isStream || response.useChunkedEncodingByDefault);
  if (!isUsual || response.getHeaderNames().length > 0) {
    response.writeHead(200, headerPairs(headers).flat());
    return;
  }
  response.chunkedEncoding = isStream;
  const chunked = isStream ? 'Transfer-Encoding: chunked\r\n' : '';
  response._header = `HTTP/1.1 200 OK\r\n${headers}${connectionHeaders()}${chunked}\r\n`;
}

/** Name and value of each line, of headers as they go out. */
export function headerPairs(headers: string): (readonly [name: string, value: string])[] {
  const lines = headers.split('\r\n').slice(0, -1);
  return lines.map((line) => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
}

/** The same for all answers of a second. */
function connectionHeaders(): string {
  const now = systemClock.now();
  const second = Math.floor(now / SECOND_MS);
  if (second !== secondOfHeaders) {
    secondOfHeaders = second;
    ownHeaders = `Date: ${new Date(now).toUTCString()}\r\nConnection: keep-alive\r\n`;
  }
  return ownHeaders;
}
