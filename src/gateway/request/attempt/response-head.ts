import type { StreamRelay } from '../../capabilities/capability.ts';
import type { Target } from '../../routing/target.ts';
import type { AdmittedRequest } from '../begin.ts';
import type { RequestContext } from '../request-context.ts';

/** An attempt, as the head of its response describes it. */
export interface Attempted {
  readonly target: Target;
  /** Parameters that were not sent to the provider. */
  readonly dropped: readonly string[];
  /** Null before a streamed response starts, and for an unstreamed one. */
  readonly stream: StreamRelay | null;
}

export interface HeadOfBody {
  /** JSON if absent. */
  readonly contentType?: string | undefined;
  /** Null for a stream. */
  readonly contentLength: number | null;
  /** Nano-USD; null where the cost is not known before the end. */
  readonly costNano: bigint | null;
}

/** Sends the head of the response. From then on no other target can take over. */
export function sendHead<Request, Facts>(
  context: RequestContext<Request, Facts>,
  { cache, guard, metering }: AdmittedRequest<Facts>,
  { target, dropped, stream }: Attempted,
  { contentType = 'application/json', contentLength, costNano }: HeadOfBody,
): void {
  context.isHeadSent = true;
  const usage = stream?.usageAtHead ?? null;
  context.call.response.head({
    provider: target.connection.provider,
    model: target.model,
    contentType,
    contentLength,
    costNano: costNano ?? (usage === null ? null : metering.costOf(usage)),
    priced: !target.isUnpriced || cache?.hit != null,
    dropped,
    cache: cache && (cache.hit ? 'hit' : 'miss'),
    moderation: guard?.annotation ?? null,
  });
}
