import { toSluiceError } from '../errors/index.ts';
import type { ClientResponse } from './client-response.ts';
import { ForwardingResponse } from './forwarding-response.ts';

/** An unstreamed response whose document is rewritten before it is sent. */
export class RewrittenResponse extends ForwardingResponse {
  readonly #rewrite: (document: Buffer) => Buffer;
  readonly #parts: Buffer[] = [];

  constructor(response: ClientResponse, rewrite: (document: Buffer) => Buffer) {
    super(response);
    this.#rewrite = rewrite;
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
      return this.response.fail(toSluiceError(error), null);
    }
    if (this.pendingHead !== null) this.response.head({ ...this.pendingHead, contentLength: document.length });
    return this.response.end(document, costNano);
  }
}
