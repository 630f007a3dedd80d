import { Arg, ID, Resolver, Root, Subscription } from 'type-graphql';
import type { LaneEvent } from '../../gateway/comparisons/lane-event.ts';
import type { LaneState } from '../../gateway/comparisons/lane-state.ts';
import type { FeedItem } from '../../live/feed.ts';
import type { Callers } from '../../services/authorization/callers.ts';
import type { ComparisonsService } from '../../services/comparisons/comparisons.service.ts';
import { gap, toCompletionEvent } from '../completions/completion-event.mapping.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { usd } from '../scalars/money.type.ts';
import { Cursor } from '../scalars/cursor.ts';
import { subscription, type SubscribeInput } from '../operation/subscription.ts';
import {
  ComparisonEvent,
  ComparisonLaneCancelled,
  ComparisonLaneFailed,
  ComparisonLaneFinished,
  type ComparisonLaneEvent,
} from './comparison-event.types.ts';
import { requireComparison } from './comparison-access.ts';
import { toLane, type LinkTo } from './comparison.mapping.ts';
import { orSaved, savedFeed } from './saved-feed.ts';

interface ComparisonArgs {
  readonly id: string;
  readonly after?: string | null;
}

@Resolver()
export class ComparisonEventsResolver {
  readonly #comparisons: ComparisonsService;
  readonly #callers: Callers;

  constructor(comparisons: ComparisonsService, callers: Callers) {
    this.#comparisons = comparisons;
    this.#callers = callers;
  }

  @Subscription(() => ComparisonEvent, {
    name: 'comparison',
    description: 'Events of all lanes of a comparison: past events first, then new ones until the last lane ends.',
    subscribe: subscription(() => ComparisonEventsResolver),
  })
  comparisonEvents(
    @Root() item: FeedItem<LaneEvent>,
    @Arg('id', () => ID, { description: 'The `id` that `startComparison` returned.' }) _id: string,
    @Arg('after', () => Cursor, {
      nullable: true,
      description: 'Resumes after this cursor. If it is too old, the stream starts with an `EventGap`.',
    })
    _after: string | null,
  ): ComparisonEvent {
    const none = { lane: null, model: null, firstTokenMs: null, tokensPerSecond: null, runningCost: null };
    if (item.type === 'gap') return { cursor: null, ...none, event: gap() };
    const { position, model, firstTokenMs, tokensPerSecond, costNano, update } = item.event;
    const cursor = item.cursor === '' ? null : item.cursor;
    const { linkTo } = this.#comparisons;
    const event = update.type === 'ended' ? ended(cursor, update.lane, linkTo) : toCompletionEvent(cursor, update);
    return { cursor, lane: position, model, firstTokenMs, tokensPerSecond, runningCost: usd(costNano), event };
  }

  /** A key with only `inference` may subscribe to the comparisons that it started. */
  async subscribe({
    args,
    context,
    signal,
  }: SubscribeInput<ComparisonArgs>): Promise<AsyncIterableIterator<FeedItem<LaneEvent>>> {
    const comparisons = this.#comparisons;
    const id = fromGlobalId('Comparison', args.id);
    const { accountId } = await requireComparison(context, 'comparisons.read', id, this.#callers, comparisons);
    await comparisons.get(accountId, id, new Set());
    const after = args.after ?? null;
    const read = async (): Promise<readonly LaneState[]> => (await comparisons.get(accountId, id)).lanes;
    const running = await comparisons.events(id, after, signal);
    return running === null ? savedFeed(read, after, signal) : orSaved(running, read, signal);
  }
}

function ended(cursor: string | null, lane: LaneState, linkTo: LinkTo): typeof ComparisonLaneEvent {
  const result = toLane(lane, 0, linkTo);
  switch (lane.status) {
    case 'finished': {
      const { usage, cost, durationMs } = result;
      return Object.assign(new ComparisonLaneFinished(), { cursor, usage, cost, durationMs, result });
    }
    case 'failed':
      return Object.assign(new ComparisonLaneFailed(), {
        cursor,
        code: lane.errorCode ?? 'internal_error',
        message: lane.errorMessage ?? '',
        result,
      });
    default:
      return Object.assign(new ComparisonLaneCancelled(), { cursor, result });
  }
}
