import type { SluiceError } from '../../../errors/index.ts';
import type { Upstream, UpstreamReceiver } from '../../contract.ts';

/** Relays audio with its media type, and writes a missing file header before the first bytes. */
export class AudioReceiver implements UpstreamReceiver {
  readonly #receiver: UpstreamReceiver;
  readonly #contentType: string;
  #before: Buffer | null;

  constructor(receiver: UpstreamReceiver, contentType: string, before: Buffer | null) {
    this.#receiver = receiver;
    this.#contentType = contentType;
    this.#before = before;
  }

  onConnecting(upstream: Upstream): void {
    this.#receiver.onConnecting(upstream);
  }

  onSent(): void {
    this.#receiver.onSent?.();
  }

  onHead(status: number, headers: Parameters<UpstreamReceiver['onHead']>[1]): void {
    const isAudio = !/json|html|text\//i.test(String(headers['content-type'] ?? ''));
    this.#receiver.onHead(status, isAudio ? { ...headers, 'content-type': this.#contentType } : headers);
  }

  onData(bytes: Buffer): void {
    const before = this.#before;
    this.#before = null;
    this.#receiver.onData(before === null ? bytes : Buffer.concat([before, bytes]));
  }

  onEnd(): void {
    this.#receiver.onEnd();
  }

  onFailure(error: SluiceError): void {
    this.#receiver.onFailure(error);
  }
}
