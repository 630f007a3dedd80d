import type { Gauge } from './metrics.ts';

/** What is observed of the queue of logged content. */
export interface ObservedContent {
  readonly stored: number;
  readonly droppedCount: number;
  readonly budget: { readonly used: number };
}

/** What is observed of the store of logged content. */
export interface ObservedContentStore {
  readonly unsearchableCount: number;
}

/** What is observed of the journal of dropped content. */
export interface ObservedDrops {
  readonly lostCount: number;
}

export function contentGauges(
  queue: ObservedContent,
  store: ObservedContentStore,
  drops: ObservedDrops,
): readonly Gauge[] {
  return [
    {
      name: 'content_stored_total',
      type: 'counter',
      help: 'Requests whose content was stored.',
      read: () => queue.stored,
    },
    {
      name: 'content_dropped_total',
      type: 'counter',
      help: 'Requests whose content was not stored, because the store was too slow or failed.',
      read: () => queue.droppedCount,
    },
    {
      name: 'content_dropped_unrecorded_total',
      type: 'counter',
      help: 'Requests whose content was dropped without a record of it, because that could not be written to disk: their logs say that content was lost.',
      read: () => drops.lostCount,
    },
    {
      name: 'content_unsearchable_total',
      type: 'counter',
      help: 'Requests whose content was stored without its words, which could not be: search does not find them.',
      read: () => store.unsearchableCount,
    },
    { name: 'content_queue_bytes', help: 'Content in memory that is not stored yet.', read: () => queue.budget.used },
  ];
}
