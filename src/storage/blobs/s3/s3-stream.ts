import { Readable } from 'node:stream';
import { systemClock, type Clock } from '../../../calendar/clock.ts';
import { storageUnavailable } from './s3-errors.ts';

const BUFFER_BYTES = 256 * 1024;

/**
 * The body of an object. It fails with storage_unavailable where the store sends nothing for this time; a reader may be as slow as it
 * likes.
 */
export function objectStream(body: Readable, timeoutMs: number, clock: Clock = systemClock): Readable {
  const stream = Readable.from(readBody(body, timeoutMs, clock), { objectMode: false, highWaterMark: BUFFER_BYTES });
  // A stream that is destroyed before its first read never enters the generator.
  stream.once('close', () => body.destroy());
  body.on('error', () => undefined);
  return stream;
}

async function* readBody(body: Readable, timeoutMs: number, clock: Clock): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const stop = (): void => void body.destroy(new Error(`no data for ${timeoutMs} ms`));
      const timer = clock.setTimeout(stop, timeoutMs);
      const next = await chunks.next().finally(() => timer.cancel());
      if (next.done) return;
      yield next.value;
    }
  } catch (error) {
    throw storageUnavailable(error);
  }
}
