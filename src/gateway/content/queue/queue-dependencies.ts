import type { Clock } from '../../../calendar/clock.ts';
import type { ContentPolicies, ContentStore, DropLog } from '../content-log.ts';

export interface ContentQueueDependencies {
  readonly policies: ContentPolicies;
  readonly store: ContentStore;
  readonly drops: DropLog;
  readonly log: { warn(fields: object, message: string): void };
  readonly isTemporary: (error: unknown) => boolean;
  readonly clock?: Clock;
  /** Bytes of all content in memory. */
  readonly maxBytes?: number;
}
