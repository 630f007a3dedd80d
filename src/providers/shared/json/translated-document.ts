import { SluiceError } from '../../../errors/index.ts';
import type { HeaderMap, Upstream, UpstreamReceiver } from '../../contract.ts';
import { parseAnswer } from './json-complexity.ts';

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Translates a provider's JSON documents. A document for which `translate` returns null is an invalid response. */
export class TranslatedDocument implements UpstreamReceiver {
  readonly #provider: string;
  readonly #receiver: UpstreamReceiver;
  readonly #translate: (document: unknown) => object | null;
  #upstream: Upstream | null = null;
  #parts: Buffer[] = [];
  #length = 0;
  #over = false;

  constructor(provider: string, receiver: UpstreamReceiver, translate: (document: unknown) => object | null) {
    this.#provider = provider;
    this.#receiver = receiver;
    this.#translate = translate;
  }

  onConnecting(upstream: Upstream): void {
    this.#upstream = upstream;
    this.#receiver.onConnecting(upstream);
  }

  onSent(): void {
    this.#receiver.onSent?.();
  }

  onHead(_status: number, _headers: HeaderMap): void {
    // Reported with the document.
  }

  onData(bytes: Buffer): void {
    if (this.#over) return;
    this.#parts.push(bytes);
    this.#length += bytes.length;
    if (this.#length <= MAX_ANSWER_BYTES) return;
    this.#upstream?.abort();
    this.#fail('the answer is too long');
  }

  onEnd(): void {
    if (this.#over) return;
    const document = this.#document();
    if (document === null) {
      this.#fail('the document is not of the expected kind');
      return;
    }
    this.#over = true;
    this.#receiver.onHead(200, { 'content-type': 'application/json' });
    this.#receiver.onData(Buffer.from(JSON.stringify(document)));
    this.#receiver.onEnd();
  }

  onFailure(error: SluiceError): void {
    if (this.#over) return;
    this.#over = true;
    this.#receiver.onFailure(error);
  }

  #document(): object | null {
    let parsed: unknown;
    try {
      parsed = parseAnswer(Buffer.concat(this.#parts));
    } catch {
      return null;
    }
    return this.#translate(parsed);
  }

  #fail(detail: string): void {
    this.#over = true;
    this.#parts = [];
    this.#receiver.onFailure(
      new SluiceError('provider_invalid_response', { values: { provider: this.#provider }, detail }),
    );
  }
}
