import type { GraphQLResolveInfo } from 'graphql';
import type { ClassType } from 'type-graphql';
import type { GraphqlContext } from './context.ts';
import { resolverOf } from './resolver-instances.ts';

export interface SubscribeInput<Args> {
  readonly args: Args;
  readonly context: GraphqlContext;
  /** Aborts when the subscriber disconnects. */
  readonly signal: AbortSignal;
}

/** A resolver with a subscription. */
export interface EventSource<Args, Item> {
  /** Opens the events of one subscriber. */
  subscribe(input: SubscribeInput<Args>): Promise<AsyncIterableIterator<Item>>;
}

interface SubscribeData<Args> {
  readonly args: Args;
  readonly context: GraphqlContext;
  readonly info: GraphQLResolveInfo;
}

/** Adapts the resolver's event source to type-graphql. The end of either side ends the other. */
export function subscription<Args, Item>(resolverClass: () => ClassType<EventSource<Args, Item>>) {
  return async ({ args, context, info }: SubscribeData<Args>): Promise<AsyncIterableIterator<Item>> => {
    const closing = new AbortController();
    const release = context.subscriptions?.acquire(await context.caller());
    closing.signal.addEventListener('abort', () => release?.());
    const resolver = resolverOf(info.schema, resolverClass());
    const items = await resolver.subscribe({ args, context, signal: closing.signal }).catch((error: unknown) => {
      closing.abort();
      throw error;
    });
    const source: AsyncIterableIterator<Item> = {
      next: async () => {
        try {
          const item = await items.next();
          if (item.done) closing.abort();
          context.resetLoaders();
          return item;
        } catch (error) {
          closing.abort();
          throw error;
        }
      },
      return: async (value?: unknown) => {
        // A generator that awaits an event handles `return` only after the event: the signal wakes it first.
        closing.abort();
        await items.return?.();
        return { done: true, value };
      },
      [Symbol.asyncIterator]: () => source,
    };
    return source;
  };
}
