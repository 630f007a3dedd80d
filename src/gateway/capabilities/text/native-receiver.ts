import type { SluiceError } from '../../../errors/index.ts';
import type { HeaderMap, Upstream, UpstreamReceiver } from '../../../providers/contract.ts';

const MARK = 'application/x.native-stream;';

/** Marks a streamed response whose provider speaks the client's protocol: its bytes may look like those of a chat. */
export class NativeReceiver implements UpstreamReceiver {
  readonly #receiver: UpstreamReceiver;

  constructor(receiver: UpstreamReceiver) {
    this.#receiver = receiver;
  }

  onConnecting(upstream: Upstream): void {
    this.#receiver.onConnecting(upstream);
  }

  onSent(): void {
    this.#receiver.onSent?.();
  }

  onHead(status: number, headers: HeaderMap): void {
    this.#receiver.onHead(status, { ...headers, 'content-type': `${MARK}${String(headers['content-type'] ?? '')}` });
  }

  onData(bytes: Buffer): void {
    this.#receiver.onData(bytes);
  }

  onEnd(): void {
    this.#receiver.onEnd();
  }

  onFailure(error: SluiceError): void {
    this.#receiver.onFailure(error);
  }
}

/** @returns the provider's own content type; null for a response of another protocol */
export function nativeContentType(contentType: string): string | null {
  return contentType.startsWith(MARK) ? contentType.slice(MARK.length) : null;
}
