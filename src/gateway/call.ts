import type { Clock } from '../calendar/clock.ts';
import type { CompletionUpdate } from '../live/events.ts';
import type { LiveHub } from '../live/live-hub.ts';
import type { EventIds } from './event-id.ts';
import type { ResponseCache } from './cache/response-cache.ts';
import type { UsageJournal } from './usage/journal/usage-journal.ts';
import type { Capability } from './capabilities/capability.ts';
import type { ContentLog, LoggedCall } from './content/content-log.ts';
import type { CompletionStore } from './capabilities/chat/storage/completion-store.ts';
import type { ForwardedUrls } from './policy/forwarded-urls.ts';
import type { ContentLevel } from './content/content-level.ts';
import type { KeyRecord, Requester } from './keys/key-directory.ts';
import type { ExpiryOf } from './keys/key-expiry.ts';
import type { LimitStore } from './limits/limit-store.ts';
import type { GatewayMetrics } from './metrics/metrics.ts';
import type { ClientResponse } from './client-response.ts';
import type { ContentSeals } from './reasoning/content-seals.ts';
import type { ReasoningStore } from './reasoning/reasoning-memory.ts';
import type { RequestSpan, Telemetry } from './telemetry/request-span.ts';
import type { RequestTrace } from './usage/request-trace.ts';
import type { RejectedRequests } from './usage/rejections.ts';
import type { RequestInput } from './request-input.ts';
import type { CacheAffinity } from './routing/selection/cache-affinity.ts';
import type { ServiceTier } from '../catalogue/prices/token-rates.ts';
import type { CollectRequest } from './collectable-request.ts';
import type { ResolvedRoute, Router } from './routing/resolved-route.ts';
import type { SluiceError } from '../errors/index.ts';

/** Names and values that the client attached to a request. */
export type Tags = Readonly<Record<string, string>>;

/** The dependencies of every call. */
export interface PipelineDependencies {
  readonly limits: LimitStore;
  readonly journal: UsageJournal;
  readonly router: Router;
  readonly live: LiveHub;
  readonly metrics: GatewayMetrics;
  readonly cache: ResponseCache;
  /** Encrypt what clients keep between requests. */
  readonly seals: ContentSeals;
  /** Absent where signed reasoning is not stored for clients that do not send it back. */
  readonly reasoning?: ReasoningStore;
  /** Absent where chat completions are not stored. */
  readonly completions?: CompletionStore;
  /** Absent where the content of requests is not logged. */
  readonly content?: ContentLog;
  readonly log: PipelineLog;
  /** Absent where neither traces nor metrics are exported. */
  readonly telemetry?: Telemetry;
  /** Absent where the expiry of a key never changes. */
  readonly expiryOf?: ExpiryOf;
  /** Absent where URLs in requests are not checked. */
  readonly forwarded?: ForwardedUrls;
  /** The system clock if absent. */
  readonly clock?: Clock;
}

/** The dependencies of a request. */
export interface RequestDependencies extends PipelineDependencies {
  readonly clock: Clock;
  readonly rejections: RejectedRequests;
  readonly affinity: CacheAffinity;
  /** Runs a request on behalf of another one, also during shutdown. */
  runNested<Request, Summary>(capability: Capability<Request, Summary>, call: Call, input: RequestInput): OpenRequest;
}

export interface PipelineLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** One call into the data plane by an authenticated key. */
export interface Call extends EventIds {
  readonly key: KeyRecord;
  /** When the request arrived, by `monotonic` of the pipeline's clock. */
  readonly startedAt: number;
  readonly response: ClientResponse;
  /** Absent where its content is not logged. */
  readonly logged?: LoggedCall;
  /**
   * Maximum age of a cached response in milliseconds, and the lifetime of a new entry; 0 disables the cache, null
   * leaves it to the key and route.
   */
  readonly cacheMs: number | null;
  /** The content that may be stored at most, as the client asks; unlimited if absent or null. */
  readonly contentLevel?: ContentLevel | null;
  /** Tags for the usage log besides the request's `metadata`; null for none. */
  readonly tags: Tags | null;
  /** What groups it with other requests; nothing if absent. */
  readonly trace?: RequestTrace | null;
  /** Absent where neither traces nor metrics are exported. */
  readonly span?: RequestSpan | undefined;
  /** The batch that it is a line of. */
  readonly batchId?: string;
  /** Receives the updates of the response; null where only the response receives it. */
  readonly watch: ((update: CompletionUpdate) => void) | null;
  /** The client's session or conversation, as its headers name it; none if absent. */
  readonly session?: string | null;
  /** The only connection that may serve it, which holds objects that it names; any if absent. */
  readonly connectionId?: string;
  /**
   * Set where the caller runs the request again with the same `eventId` if the process dies: the time of its usage record, in
   * milliseconds since the epoch, the same in each run. An interruption is not settled then, and a rejection not recorded.
   */
  readonly rerunBeganAt?: number;
  /** Collects the request, which a provider runs later; sent to a provider at once if absent. */
  readonly collect?: CollectRequest;
  /**
   * Set where the provider has responded already: the route that passes its response on. Nothing is refused or reserved then,
   * because it is billed in any case.
   */
  readonly answered?: ResolvedRoute;
  /** The service tier that it is billed by, whatever the response states. */
  readonly serviceTier?: ServiceTier;
  /** The paths of media in the client's request by their URL, in order, where the input is another form of it. */
  readonly mediaPaths?: ReadonlyMap<string, readonly string[]>;
  /** Whether its model name resolves to the operator's models and routes, not the account's. */
  readonly asOperator?: boolean;
}

/** Whose models and names a call's request may ask for. */
export function requesterOf({ asOperator, key }: Pick<Call, 'asOperator' | 'key'>): Requester {
  return asOperator === true ? operator : key;
}

const operator: Requester = { accountId: '' };

/** An open request, as the edge sees it. */
export interface OpenRequest {
  slot: number;
  /** The key that it was admitted with. */
  readonly key: KeyRecord;
  onClientDisconnect(): void;
  onClientDrained(): void;
  terminate(error: SluiceError): void;
  checkDeadline(now: number): void;
}
