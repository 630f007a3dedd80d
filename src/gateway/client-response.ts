import type { SluiceError } from '../errors/index.ts';
import type { GenerationResult } from '../protocols/canonical/generation-result.ts';
import type { StreamPart } from '../protocols/canonical/stream-part.ts';
import type { LimitBound } from './limits/limit-store.ts';

/** The target of a request. */
export interface ResponseTarget {
  readonly provider: string;
  /** Canonical: `provider/model`. */
  readonly model: string;
}

/** The metadata of a response; each surface renders it in its own format. */
export interface ResponseHead extends ResponseTarget {
  readonly contentType: string;
  /** Length of the complete body in bytes; null for a stream, and for a body that the response encodes itself. */
  readonly contentLength: number | null;
  /** Nano-USD; null if not known yet. */
  readonly costNano: bigint | null;
  /** Whether the cost can be known: a billed model without a known price is not free. */
  readonly priced: boolean;
  /** Parameters that the provider does not support. */
  readonly dropped: readonly string[];
  /** The cache result; null where the cache was not used. */
  readonly cache: 'hit' | 'miss' | null;
  /** Results of annotating moderation: `input=violence; output=none`; null for none. */
  readonly moderation: string | null;
}

/** The address that the client used. */
export interface PublicAddress {
  /** For media links: `https://gateway.example`. Absent where a response cannot contain any. */
  readonly origin?: string | undefined;
}

export type ResponseReplacement = (response: ClientResponse) => ClientResponse;

/** Receives the response of a request: an HTTP response, or a GraphQL subscription. */
export interface ClientResponse extends PublicAddress {
  /** Called with the request's bounds before anything is reserved, for rate limit headers. */
  setBounds?(bounds: readonly LimitBound[]): void;
  /** Called with the output limit that was set because budgets have no room for more. */
  setOutputCap?(tokens: number): void;
  /** Called before the response ends, if the request used a provider. */
  markUsed?(): void;
  /** Called once, before the first byte. */
  head(head: ResponseHead): void;
  /**
   * @returns false when the client reads slowly: then `OpenRequest.onClientDrained` must be called when it can accept more
   */
  write(bytes: Buffer): boolean;
  /** The same of output that the response encodes itself; absent where the capability's streams are relayed as bytes. */
  writeParts?(parts: readonly StreamPart[]): boolean;
  /** The last bytes, and the cost in nano-USD. No other call follows. */
  end(bytes: Buffer | null, costNano: bigint | null): void;
  /** The same with a complete response that the response encodes itself; absent where the capability encodes all. */
  endResult?(result: GenerationResult, costNano: bigint | null): void;
  /** The request failed: an error response before `head`, a terminal error event after it. No other call follows. */
  fail(error: SluiceError, routed: ResponseTarget | null): void;
  /** Closes the connection of a client that does not read. No other call follows. */
  abort(): void;
  /**
   * Replaces the response that this one writes to, which receives what the client does; absent where it writes to none. Called
   * before all others.
   * @returns whether it was replaced
   */
  intercept?(replacement: ResponseReplacement): boolean;
}
