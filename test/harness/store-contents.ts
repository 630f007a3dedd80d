import type { ContentStore, FinishedContent } from '../../src/gateway/content/content-log.ts';

/** Stores content, however long that takes. @throws where some could not be stored */
export async function storeContents(store: ContentStore, batch: readonly FinishedContent[]): Promise<void> {
  const { failed, late } = await store.store(batch);
  for (const error of failed.values()) throw error;
  await Promise.all([...late.values()].map(({ stored }) => stored));
}
