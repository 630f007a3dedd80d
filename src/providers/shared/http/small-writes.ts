import { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** A connector whose sockets join small writes. */
export function joiningSmallWrites(dial: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    dial(options, (...result) => {
      const [error, socket] = result;
      if (error === null) joinSmallWrites(socket);
      callback(...result);
    });
}

/** What Node writes from its stack, without memory to allocate. */
const SMALL_BYTES = 16 * 1024;

interface Part {
  readonly chunk: string | Buffer;
  readonly encoding: BufferEncoding;
}

/**
 * Has a socket write what is written together, such as a head and its body, as one text where that is small: one write costs
 * half of two joined ones. The bytes are the same.
 */
export function joinSmallWrites(socket: Socket): void {
  socket._writev = writeJoined;
}

function writeJoined(this: Socket, parts: Part[], callback: (error?: Error | null) => void): void {
  const text = joined(parts);
  if (text === null) Socket.prototype._writev?.call(this, parts, callback);
  else this._write(text, 'latin1', callback);
}

/** Each byte as one character; null where that is not small, or where a text has other characters. */
function joined(parts: readonly Part[]): string | null {
  let text = '';
  for (const { chunk, encoding } of parts) {
    if (text.length + chunk.length > SMALL_BYTES) return null;
    if (typeof chunk !== 'string') text += chunk.toString('latin1');
    else if (encoding === 'latin1') text += chunk;
    else return null;
  }
  return text;
}
