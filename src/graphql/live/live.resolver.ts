import { Arg, Resolver, Root, Subscription } from 'type-graphql';
import type { CompletionUpdate, LiveCompletion } from '../../live/events.ts';
import type { FeedItem, LiveFeed } from '../../live/feed.ts';
import { RequiresAtStart } from '../operation/access.ts';
import { gap, toCompletionEvent } from '../completions/completion-event.mapping.ts';
import { fromGlobalId, toGlobalId } from '../relay/global-id.ts';
import { Cursor } from '../scalars/cursor.ts';
import { subscription, type SubscribeInput } from '../operation/subscription.ts';
import { LiveCompletionEvent, LiveCompletionFilter } from './live.types.ts';

interface LiveArgs {
  readonly filter?: LiveCompletionFilter | null;
  readonly after?: string | null;
}

@Resolver()
export class LiveResolver {
  readonly #live: LiveFeed;

  constructor(live: LiveFeed) {
    this.#live = live;
  }

  @RequiresAtStart('usage.read')
  @Subscription(() => LiveCompletionEvent, {
    description:
      'Events of the account’s running completions. Content is omitted for keys with `liveContent` off, and for callers without permission to read it.',
    subscribe: subscription(() => LiveResolver),
  })
  liveCompletions(
    @Root() item: FeedItem<LiveCompletion>,
    @Arg('filter', () => LiveCompletionFilter, {
      nullable: true,
      description: 'Filters the completions. Default: all completions.',
    })
    _filter: LiveCompletionFilter | null,
    @Arg('after', () => Cursor, {
      nullable: true,
      description: 'Resumes after this cursor. If it is too old, the stream starts with an `EventGap`.',
    })
    _after: string | null,
  ): LiveCompletionEvent {
    if (item.type === 'gap')
      return { cursor: null, requestId: null, apiKeyId: null, model: null, at: new Date(), event: gap() };
    const { requestId, apiKeyId, model, at, update } = item.event;
    return {
      cursor: item.cursor,
      requestId,
      apiKeyId: toGlobalId('ApiKey', apiKeyId),
      model,
      at: new Date(at),
      event: toCompletionEvent(item.cursor, update),
    };
  }

  async subscribe({
    args,
    context,
    signal,
  }: SubscribeInput<LiveArgs>): Promise<AsyncIterableIterator<FeedItem<LiveCompletion>>> {
    const { accountId } = await context.require('usage.read');
    const seesContent = await context.isAllowed('live_content.read');
    const items = this.#live.subscribe(accountId, args.after ?? null, signal);
    const { apiKeyId, model } = args.filter ?? {};
    const keyId = apiKeyId ? fromGlobalId('ApiKey', apiKeyId) : null;
    return matching(seesContent ? items : withoutContent(items), keyId, model ?? null);
  }
}

const content: ReadonlySet<CompletionUpdate['type']> = new Set(['delta', 'reasoning', 'toolCall']);

async function* withoutContent(
  items: AsyncIterableIterator<FeedItem<LiveCompletion>>,
): AsyncIterableIterator<FeedItem<LiveCompletion>> {
  for await (const item of items) if (item.type === 'gap' || !content.has(item.event.update.type)) yield item;
}

async function* matching(
  items: AsyncIterableIterator<FeedItem<LiveCompletion>>,
  apiKeyId: string | null,
  model: string | null,
): AsyncIterableIterator<FeedItem<LiveCompletion>> {
  for await (const item of items) {
    if (
      item.type === 'event' &&
      ((apiKeyId !== null && item.event.apiKeyId !== apiKeyId) || (model !== null && item.event.model !== model))
    )
      continue;
    yield item;
  }
}
