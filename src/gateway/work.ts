import { formatUsd } from '../catalogue/price.ts';
import type { SluiceError } from '../errors/index.ts';
import type { CacheUse } from './cache/cache-use.ts';
import type { StreamRelay, StreamRelayOptions } from './capabilities/capability.ts';
import type { Metering } from './metering.ts';
import type { Course } from './routing/course.ts';
import type { Plan } from './routing/plan.ts';
import type { Route } from './routing/route.ts';
import type { Watchers } from './watchers.ts';

/** What is recorded for a caller who went away; nginx's number for it. */
export const CALLER_GONE = 499;

/**
 * `opening`: parsed and admitted. `beginning`: its begin record is being written. `trying`: sent to one provider after the
 * other, until one answers, and relayed. `settling`: its settle record is being written. `ended`: nothing more comes.
 */
export type Phase = 'opening' | 'beginning' | 'trying' | 'settling' | 'ended';

/** What an admitted request works with. */
export interface Work<Facts> {
  readonly plan: Plan;
  readonly course: Course;
  /** Where it is tried first. */
  readonly route: Route;
  /** What of the request its bill depends on. */
  readonly facts: Facts;
  readonly streamed: boolean;
  readonly wantsUsage: boolean;
  readonly metering: Metering;
  readonly watchers: Watchers;
  readonly cache: CacheUse | null;
}

/** What goes to the caller when the settle record is on disk. */
export type Release =
  | { readonly error: SluiceError }
  | {
      readonly last: Buffer | null;
      readonly bytes: Buffer;
      /** Null where it is not known before the headers. */
      readonly costNano: bigint | null;
      readonly contentType?: string | undefined;
    }
  | { readonly gone: true };

export function relayOptions<Facts>(work: Work<Facts>, route: Route, contentType: string): StreamRelayOptions<Facts> {
  const { facts, wantsUsage, metering, watchers } = work;
  return {
    provider: route.connection.provider,
    contentType,
    facts,
    wantsUsage,
    priceOf: (usage) => Number(formatUsd(metering.costOf(usage))),
    watched: () => watchers.watching,
    watch: (update) => watchers.tell(update),
  };
}

/** Nano-USD, where what an answer costs is known before it ends. */
export function costAtHead({ metering }: Pick<Work<unknown>, 'metering'>, relay: StreamRelay | null): bigint | null {
  const usage = relay?.usageAtHead ?? null;
  return usage === null ? null : metering.costOf(usage);
}
