import type { BatchPartsFragment, BatchStatus } from '../../generated/graphql.ts';

/** A batch goes through its statuses in this order; the others are ends. */
const order: readonly BatchStatus[] = ['VALIDATING', 'IN_PROGRESS', 'FINALIZING', 'CANCELLING'];

/** The later one of two states of a batch, whichever was received first. */
export function later(one: BatchPartsFragment, other: BatchPartsFragment): BatchPartsFragment {
  return rank(other) > rank(one) || (rank(other) === rank(one) && ended(other) > ended(one)) ? other : one;
}

/**
 * A list of batches, newest first, with what was received of them since.
 * @param updates by `id`; those that are newer than the list are added to it
 */
export function withUpdates(
  list: readonly BatchPartsFragment[],
  updates: ReadonlyMap<string, BatchPartsFragment>,
): readonly BatchPartsFragment[] {
  const known = new Set(list.map(({ id }) => id));
  const newest = list[0]?.createdAt ?? '';
  const added = [...updates.values()].filter(({ id, createdAt }) => !known.has(id) && createdAt >= newest);
  const changed = list.map((batch) => later(batch, updates.get(batch.id) ?? batch));
  return [...added.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1)), ...changed];
}

function rank({ status, endedAt }: BatchPartsFragment): number {
  return endedAt == null ? order.indexOf(status) : order.length;
}

function ended({ succeeded, errored }: BatchPartsFragment): number {
  return succeeded + errored;
}
