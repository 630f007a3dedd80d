import { Arg, Resolver, Root, Subscription } from 'type-graphql';
import type { CompletionUpdate, LiveCompletion } from '../../live/events.ts';
import type { FeedItem } from '../../live/feed.ts';
import { RequiresAtStart } from '../access.ts';
import { gap, toCompletionEvent } from '../completions/completion-event.mapping.ts';
import { fromGlobalId, toGlobalId } from '../relay/global-id.ts';
import { Cursor } from '../scalars/cursor.ts';
import { subscription, type SubscribeInput } from '../subscription.ts';
import { LiveCompletionEvent, LiveCompletionFilter } from './live.types.ts';

interface LiveArgs {
  readonly filter?: LiveCompletionFilter | null;
  readonly after?: string | null;
}

@Resolver()
export class LiveResolver {
  @RequiresAtStart('usage.read')
  @Subscription(() => LiveCompletionEvent, {
    description:
      'What the account’s keys do now. What completions say is left out for keys whose `liveContent` is off, and for who may not see it.',
    subscribe: subscription(subscribe),
  })
  liveCompletions(
    @Root() item: FeedItem<LiveCompletion>,
    @Arg('filter', () => LiveCompletionFilter, { nullable: true, description: 'Which completions; all where absent.' })
    _filter: LiveCompletionFilter | null,
    @Arg('after', () => Cursor, {
      nullable: true,
      description: 'Goes on behind this cursor; one that is too old is told by a gap.',
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
}

async function subscribe({
  args,
  context,
  signal,
}: SubscribeInput<LiveArgs>): Promise<AsyncIterableIterator<FeedItem<LiveCompletion>>> {
  const { accountId } = await context.require('usage.read');
  const seesContent = await context.may('live_content.read');
  const items = context.services.live.subscribe(accountId, args.after ?? null, signal);
  const { apiKeyId, model } = args.filter ?? {};
  const keyId = apiKeyId ? fromGlobalId('ApiKey', apiKeyId) : null;
  return matching(seesContent ? items : withoutContent(items), keyId, model ?? null);
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
