import { SINCE, type ChangeWatch } from '../../database/change-watch.ts';
import type { MemoryKeyDirectory } from './key-directory.ts';

/** Receives changes of keys. */
export type KeyChangeListener = Pick<MemoryKeyDirectory, 'evict' | 'revoked'>;

/**
 * Detects keys that another process changed, rotated or revoked, and tokens that it revoked. @returns a function that stops
 * watching
 */
export function watchKeyChanges(changes: Pick<ChangeWatch, 'add'>, directory: KeyChangeListener): () => void {
  const stopKeys = changes.add<{ id: string; revoked: boolean }>({
    select: `select id, revoked_at is not null as revoked, changed_at from api_keys where changed_at > ${SINCE}`,
    changed: ({ id, revoked }) => (revoked ? directory.revoked(id) : directory.evict(id)),
  });
  const stopTokens = changes.add<{ id: string }>({
    select: `select id from access_tokens where revoked_at > ${SINCE}`,
    changed: ({ id }) => directory.revoked(id),
  });
  return () => {
    stopKeys();
    stopTokens();
  };
}
