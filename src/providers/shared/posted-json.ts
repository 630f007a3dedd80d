import { SluiceError } from '../../errors/index.ts';
import type { HttpUpstream } from './http-upstream.ts';

/** Of one answer. 2,048 embeddings of 4,096 numbers as Python writes them come to about 176 MB. */
const MOST_ANSWER_BYTES = 256 * 1024 * 1024;

export interface PostedJson {
  readonly provider: string;
  readonly upstream: HttpUpstream;
  /** As `HttpUpstream.path` gave it. */
  readonly path: string;
  readonly body: Buffer | string;
  readonly signal: AbortSignal;
}

/** Posts JSON and gives the whole answer. @throws SluiceError provider_*, and the signal's reason once it is aborted */
export function postedJson({ provider, upstream, path, body, signal }: PostedJson): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    let abort = (): void => undefined;
    const onAbort = (): void => {
      abort();
      reject(signal.reason);
    };
    const over = (): void => signal.removeEventListener('abort', onAbort);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    upstream.post(path, body, {
      onConnecting: (call) => {
        abort = () => call.abort();
      },
      onHead: () => undefined,
      onData: (bytes) => {
        parts.push(bytes);
        length += bytes.length;
        if (length <= MOST_ANSWER_BYTES) return;
        abort();
        over();
        reject(
          new SluiceError('provider_invalid_response', { values: { provider }, detail: 'the answer is too long' }),
        );
      },
      onEnd: () => {
        over();
        resolve(Buffer.concat(parts));
      },
      onFailure: (error) => {
        over();
        reject(error);
      },
    });
  });
}

/** @throws SluiceError provider_invalid_response */
export function parsedAnswer(provider: string, answer: Buffer): Readonly<Record<string, unknown>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(answer.toString());
  } catch {
    parsed = null;
  }
  if (isObject(parsed)) return parsed;
  throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no JSON object' });
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
