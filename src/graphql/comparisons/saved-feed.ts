import { delay, systemClock, type Clock } from '../../calendar/clock.ts';
import { eventsOf, laneEvent, type LaneEvent } from '../../gateway/comparisons/lane-event.ts';
import type { LaneState } from '../../gateway/comparisons/lane-state.ts';
import type { FeedItem } from '../../live/feed.ts';

const LOOK_EVERY_MS = 1_000;
/** There is nothing to go on from but the beginning. */
const NOWHERE = '';

/**
 * A comparison that does not run in this process, as events: what its lanes have said so far, then what they are seen to have
 * said more, until all have ended. A cursor is of a run that this process does not have: what follows it begins anew.
 * @param read its lanes as they are kept
 */
export async function* savedFeed(
  read: () => Promise<readonly LaneState[]>,
  after: string | null,
  signal: AbortSignal,
  clock: Clock = systemClock,
): AsyncGenerator<FeedItem<LaneEvent>> {
  if (after !== null) yield { type: 'gap' };
  const seen = new Map<number, LaneState>();
  while (!signal.aborted) {
    const lanes = await read();
    for (const lane of lanes) {
      const before = seen.get(lane.position);
      seen.set(lane.position, lane);
      for (const event of before === undefined ? eventsOf(lane) : eventsSince(before, lane))
        yield { type: 'event', cursor: NOWHERE, event };
    }
    if (lanes.every(({ status }) => status !== 'running')) return;
    await delay(clock, LOOK_EVERY_MS, signal).catch(() => undefined);
  }
}

/** A text only grows; a tool's call is told whole once the lane has ended. */
function eventsSince(before: LaneState, now: LaneState): LaneEvent[] {
  if (before.status !== 'running') return [];
  const updates: LaneEvent['update'][] = [];
  const { servedModel, provider } = now;
  if (before.servedModel === null && servedModel !== null && provider !== null)
    updates.push({ type: 'started', model: servedModel, provider });
  for (const [type, member] of [
    ['reasoning', 'reasoning'],
    ['delta', 'output'],
  ] as const) {
    const text = now[member].slice(before[member].length);
    if (text !== '') updates.push({ type, choice: 0, text });
  }
  if (now.status !== 'running') updates.push({ type: 'ended', lane: now });
  return updates.map((update) => laneEvent(now, update));
}
