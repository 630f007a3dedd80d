import type { SluiceError } from '../errors/index.ts';
import type { CacheUse } from './cache/cache-use.ts';
import type { Metering } from './metering.ts';
import type { Course } from './routing/course.ts';
import type { Plan } from './routing/plan.ts';
import type { Route } from './routing/route.ts';
import type { Watchers } from './watchers.ts';

/** What an admitted request works with. */
export interface Work {
  readonly plan: Plan;
  readonly course: Course;
  /** Where it is tried first. */
  readonly route: Route;
  readonly streamed: boolean;
  readonly wantsUsage: boolean;
  readonly metering: Metering;
  readonly watchers: Watchers;
  readonly cache: CacheUse | null;
}

/** What goes to the caller when the settle record is on disk. */
export type Release =
  | { readonly error: SluiceError }
  | { readonly last: Buffer | null; readonly bytes: Buffer; readonly costNano: bigint }
  | { readonly gone: true };
