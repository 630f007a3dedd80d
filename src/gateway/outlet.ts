import type { SluiceError } from '../errors/index.ts';
import type { LimitBound } from './limits/limit-bound.ts';

/** Where a request went. */
export interface Routed {
  readonly provider: string;
  /** Canonical: `provider/model`. */
  readonly model: string;
}

/** What an answer's headers are made of; each surface renders them in its way. */
export interface AnswerHead extends Routed {
  readonly contentType: string;
  /** Length of the whole body in bytes; null for a stream. */
  readonly contentLength: number | null;
  /** Integer nano-USD; null where it is not known yet. */
  readonly costNano: bigint | null;
  /** Whether what it costs is known at all: a billed model without a known price is not free. */
  readonly priced: boolean;
  /** Parameters that the provider could not take. */
  readonly dropped: readonly string[];
  /** Whether it came from the response cache; null where the cache was not asked for. */
  readonly cache: 'hit' | 'miss' | null;
  /** What moderation found: `input=violence; output=none`; null where none was asked to say so. */
  readonly moderation: string | null;
}

/** The way by which a caller reached us. */
export interface ReachedAt {
  /** For links to media: `https://gateway.example`. Absent where no media can be asked for. */
  readonly origin?: string;
}

/** Where an exchange puts its answer: an HTTP response, or a GraphQL subscription. */
export interface Outlet extends ReachedAt {
  /** Told of what bounds the request, before anything of that is taken; for who tells callers what they have left. */
  boundBy?(bounds: readonly LimitBound[]): void;
  /** Told of how many tokens its answer may have where nobody asked for a bound: budgets have no room for more. */
  cappedAt?(tokens: number): void;
  /** Told, before the answer ends, that its request used something of a provider. */
  markUsed?(): void;
  /** Comes once, before the first byte. */
  head(head: AnswerHead): void;
  /** @returns false when the caller reads slowly: `Exchange.callerDrained` is to be called when it can take more */
  write(bytes: Buffer): boolean;
  /** The last bytes, and what the answer cost in nano-USD. Nothing follows. */
  end(bytes: Buffer | null, costNano: bigint | null): void;
  /** The call failed: a plain error answer before `head`, a terminal error event after it. Nothing follows. */
  fail(error: SluiceError, routed: Routed | null): void;
  /** Closes the caller's connection, as it does not take its answer. Nothing follows. */
  abort(): void;
}
