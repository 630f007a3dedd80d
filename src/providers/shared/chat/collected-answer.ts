import { SluiceError } from '../../../errors/index.ts';
import type { UpstreamReceiver } from '../../contract.ts';

const MAX_BYTES = 32 * 1024 * 1024;

export interface Collected {
  readonly contentType: string;
  readonly body: Buffer;
}

/**
 * The complete response of a call that is made within another.
 * @param send starts the call
 * @param maxBytes of the response; defaults to 32 MiB
 * @throws SluiceError provider_*, and the signal's reason once it is aborted
 */
export function collected(
  provider: string,
  signal: AbortSignal,
  send: (receiver: UpstreamReceiver) => void,
  maxBytes = MAX_BYTES,
): Promise<Collected> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    let contentType = '';
    let abort = (): void => undefined;
    const onAbort = (): void => {
      abort();
      reject(signal.reason);
    };
    const over = (): void => signal.removeEventListener('abort', onAbort);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    const failed = (error: SluiceError): void => {
      over();
      reject(error);
    };
    send({
      onConnecting: (call) => {
        abort = () => call.abort();
      },
      onHead: (_status, headers) => {
        contentType = String(headers['content-type'] ?? '');
      },
      onData: (bytes) => {
        parts.push(bytes);
        length += bytes.length;
        if (length <= maxBytes) return;
        abort();
        failed(
          new SluiceError('provider_invalid_response', { values: { provider }, detail: 'the answer is too long' }),
        );
      },
      onEnd: () => {
        over();
        resolve({ contentType, body: Buffer.concat(parts) });
      },
      onFailure: failed,
    });
  });
}
