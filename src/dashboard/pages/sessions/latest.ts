import type { SessionPartsFragment } from '../../generated/graphql.ts';

/**
 * A list of sessions, newest first, with what was received of them since. Rows keep their places while they are read.
 * @param adds whether sessions that are newer than the list are added to it
 */
export function withUpdates(
  list: readonly SessionPartsFragment[],
  updates: ReadonlyMap<string, SessionPartsFragment>,
  adds: boolean,
): readonly SessionPartsFragment[] {
  const known = new Set(list.map(({ sessionId }) => sessionId));
  const newest = list[0]?.lastRequestAt ?? '';
  const added = adds
    ? [...updates.values()].filter((session) => !known.has(session.sessionId) && session.lastRequestAt >= newest)
    : [];
  const changed = list.map((session) => later(session, updates.get(session.sessionId)));
  return [...added.toSorted((a, b) => (a.lastRequestAt < b.lastRequestAt ? 1 : -1)), ...changed];
}

/** A session only grows. */
function later(one: SessionPartsFragment, other: SessionPartsFragment | undefined): SessionPartsFragment {
  return other !== undefined && other.usage.requests > one.usage.requests ? other : one;
}
