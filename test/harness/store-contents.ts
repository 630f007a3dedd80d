import type { ContentStore, FinishedContent } from '../../src/gateway/content/content-log.ts';

/** Stores content, however long that takes. @throws where some could not be stored */
export async function storeContents(store: ContentStore, batch: readonly FinishedContent[]): Promise<void> {
  const { failed, rejected, late } = await store.store(batch);
  const rejectedLater = await Promise.all([...late.values()].map(({ stored }) => stored));
  for (const errors of [failed, rejected, ...rejectedLater]) for (const error of errors.values()) throw error;
}
