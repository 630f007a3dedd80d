import type { SluiceError } from '../errors/index.ts';
import type { ClientResponse, ResponseHead, ResponseReplacement, ResponseTarget } from './client-response.ts';
import type { LimitBound } from './limits/limit-store.ts';

/** A response that changes what another one receives; its head waits for the first output. */
export abstract class ForwardingResponse implements ClientResponse {
  protected response: ClientResponse;
  /** Null once it is sent. */
  protected pendingHead: ResponseHead | null = null;

  constructor(response: ClientResponse) {
    this.response = response;
  }

  get origin(): string | undefined {
    return this.response.origin;
  }

  setBounds(bounds: readonly LimitBound[]): void {
    this.response.setBounds?.(bounds);
  }

  setOutputCap(tokens: number): void {
    this.response.setOutputCap?.(tokens);
  }

  markUsed(): void {
    this.response.markUsed?.();
  }

  head(head: ResponseHead): void {
    this.pendingHead = head;
  }

  fail(error: SluiceError, routed: ResponseTarget | null): void {
    this.response.fail(error, routed);
  }

  abort(): void {
    this.response.abort();
  }

  intercept(replacement: ResponseReplacement): boolean {
    if (this.response.intercept?.(replacement) !== true) this.response = replacement(this.response);
    return true;
  }

  abstract write(bytes: Buffer): boolean;

  abstract end(bytes: Buffer | null, costNano: bigint | null): void;
}
