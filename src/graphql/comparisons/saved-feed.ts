import { delay, systemClock, type Clock } from '../../calendar/clock.ts';
import { eventsOf, laneEvent, type LaneEvent } from '../../gateway/comparisons/lane-event.ts';
import type { LaneState } from '../../gateway/comparisons/lane-state.ts';
import type { FeedItem } from '../../live/feed.ts';
import { RemoteFeedError } from '../../live/feeds/remote-feeds.ts';

const POLL_INTERVAL_MS = 1_000;
/** Resuming is not supported: a subscription starts from the beginning. */
const NO_CURSOR = '';

/**
 * The events of a comparison that another process runs, derived from its stored lanes: past output first, then new output until
 * all lanes have ended. Cursors of that process are not valid here: with one, the stream starts with a gap, from the beginning.
 * @param read reads the stored lanes
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
        yield { type: 'event', cursor: NO_CURSOR, event };
    }
    if (lanes.every(({ status }) => status !== 'running')) return;
    await delay(clock, POLL_INTERVAL_MS, signal).catch(() => undefined);
  }
}

/** The events of a comparison that another worker runs. Where that worker ends, a gap, and its stored lanes from the beginning. */
export async function* orSaved(
  running: AsyncIterable<FeedItem<LaneEvent>>,
  read: () => Promise<readonly LaneState[]>,
  signal: AbortSignal,
): AsyncGenerator<FeedItem<LaneEvent>> {
  try {
    yield* running;
  } catch (error) {
    if (!(error instanceof RemoteFeedError)) throw error;
    yield* savedFeed(read, NO_CURSOR, signal);
  }
}

/** Text only grows. Tool calls are emitted when the lane has ended. */
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
