import { SINCE, type ChangeWatch } from '../../database/change-watch.ts';
import type { MemoryKeyDirectory } from './key-directory.ts';

/** Where changes of keys arrive. */
export type KeyChangeListener = Pick<MemoryKeyDirectory, 'evict' | 'revoked'>;

/** Learns of keys that another process changed, rotated or revoked, and of tokens that it revoked. @returns stops watching */
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
