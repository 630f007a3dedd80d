import { toSluiceError, type SluiceError } from '../errors/index.ts';
import type { ClientResponse, ResponseHead, ResponseTarget } from './client-response.ts';
import type { LimitBound } from './limits/limit-store.ts';

/** An unstreamed response whose document is rewritten before it is sent. */
export class RewrittenResponse implements ClientResponse {
  declare readonly origin?: string;
  readonly #response: ClientResponse;
  readonly #rewrite: (document: Buffer) => Buffer;
  #head: ResponseHead | null = null;
  readonly #parts: Buffer[] = [];

  constructor(response: ClientResponse, rewrite: (document: Buffer) => Buffer) {
    this.#response = response;
    this.#rewrite = rewrite;
    if (response.origin !== undefined) this.origin = response.origin;
  }

  setBounds(bounds: readonly LimitBound[]): void {
    this.#response.setBounds?.(bounds);
  }

  setOutputCap(tokens: number): void {
    this.#response.setOutputCap?.(tokens);
  }

  markUsed(): void {
    this.#response.markUsed?.();
  }

  head(head: ResponseHead): void {
    this.#head = head;
  }

  write(bytes: Buffer): boolean {
    this.#parts.push(bytes);
    return true;
  }

  end(bytes: Buffer | null, costNano: bigint | null): void {
    if (bytes !== null) this.#parts.push(bytes);
    let document: Buffer;
    try {
      document = this.#rewrite(Buffer.concat(this.#parts));
    } catch (error) {
      return this.#response.fail(toSluiceError(error), null);
    }
    if (this.#head !== null) this.#response.head({ ...this.#head, contentLength: document.length });
    return this.#response.end(document, costNano);
  }

  fail(error: SluiceError, routed: ResponseTarget | null): void {
    this.#response.fail(error, routed);
  }

  abort(): void {
    this.#response.abort();
  }
}
