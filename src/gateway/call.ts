import type { Clock } from '../calendar/clock.ts';
import type { CompletionUpdate } from '../live/events.ts';
import type { LiveHub } from '../live/live-hub.ts';
import type { EventIds } from './event-id.ts';
import type { ResponseCache } from './cache/response-cache.ts';
import type { UsageJournal } from './journal/usage-journal.ts';
import type { Capability } from './capabilities/capability.ts';
import type { ForwardedUrls } from './forwarded-urls.ts';
import type { KeyRecord } from './key-directory.ts';
import type { ExpiryOf } from './key-expiry.ts';
import type { LimitStore } from './limits/limit-store.ts';
import type { GatewayMetrics } from './metrics.ts';
import type { OpenExchange } from './open-exchanges.ts';
import type { Outlet } from './outlet.ts';
import type { ReasoningStore } from './reasoning/reasoning-memory.ts';
import type { RejectedRequests } from './rejections.ts';
import type { RequestInput } from './request-input.ts';
import type { Router } from './routing/resolved-route.ts';

/** Names and values of a caller's own. */
export type Tags = Readonly<Record<string, string>>;

/** What every call is run with. */
export interface PipelineParts {
  readonly limits: LimitStore;
  readonly journal: UsageJournal;
  readonly router: Router;
  readonly live: LiveHub;
  readonly metrics: GatewayMetrics;
  readonly cache: ResponseCache;
  /** Absent where no reasoning is kept for clients that do not send it back. */
  readonly reasoning?: ReasoningStore;
  readonly log: PipelineLog;
  /** Absent where no key is given a later end. */
  readonly expiryOf?: ExpiryOf;
  /** Absent where nothing looks at the addresses in requests. */
  readonly forwarded?: ForwardedUrls;
  /** The system's where absent. */
  readonly clock?: Clock;
}

/** What an exchange is run with. */
export interface ExchangeParts extends PipelineParts {
  readonly clock: Clock;
  readonly rejections: RejectedRequests;
  /** Runs a request within another, also when no new ones are taken. */
  within<Request, Facts>(capability: Capability<Request, Facts>, call: Call, input: RequestInput): OpenExchange;
}

export interface PipelineLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** One call into the data plane, its key known. */
export interface Call extends EventIds {
  readonly key: KeyRecord;
  /** When the caller's request came, of the pipeline's clock's `monotonic`. */
  readonly startedAt: number;
  readonly outlet: Outlet;
  /** How long its answer may be kept, and how old one it takes, in milliseconds; 0 for not at all, null where it does not say. */
  readonly cacheMs: number | null;
  /** What it is to be told apart by in the usage log, beside its `metadata`; null for nothing. */
  readonly tags: Tags | null;
  /** Told what the answer says, as it comes; null where nobody but the outlet follows it. */
  readonly watch: ((update: CompletionUpdate) => void) | null;
  /** Whether its model is what the operator calls so, and not the account. */
  readonly asOperator?: boolean;
}
