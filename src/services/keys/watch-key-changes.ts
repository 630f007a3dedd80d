import { SINCE, type ChangeWatch } from '../../database/change-watch.ts';
import type { MemoryKeyDirectory } from './key-directory.ts';

/** Where changes of keys arrive. */
export type KeyChangeListener = Pick<MemoryKeyDirectory, 'evict' | 'revoked'>;

/** Learns of keys that another process changed, rotated or revoked. @returns stops watching */
export function watchKeyChanges(changes: Pick<ChangeWatch, 'add'>, directory: KeyChangeListener): () => void {
  return changes.add<{ id: string; revoked: boolean }>({
    select: `select id, revoked_at is not null as revoked, changed_at from api_keys where changed_at > ${SINCE}`,
    changed: ({ id, revoked }) => (revoked ? directory.revoked(id) : directory.evict(id)),
  });
}
