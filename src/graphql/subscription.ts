import type { GraphqlContext } from './context.ts';

export interface SubscribeInput<Args> {
  readonly args: Args;
  readonly context: GraphqlContext;
  /** Aborts when the subscriber leaves. */
  readonly signal: AbortSignal;
}

/** Makes a source of events into what type-graphql subscribes to: its end, from either side, ends the other. */
export function subscription<Args, Item>(open: (input: SubscribeInput<Args>) => Promise<AsyncIterableIterator<Item>>) {
  return async ({ args, context }: { args: Args; context: GraphqlContext }): Promise<AsyncIterableIterator<Item>> => {
    const leaving = new AbortController();
    const release = context.subscriptions?.take(await context.caller());
    leaving.signal.addEventListener('abort', () => release?.());
    const items = await open({ args, context, signal: leaving.signal }).catch((error: unknown) => {
      leaving.abort();
      throw error;
    });
    const source: AsyncIterableIterator<Item> = {
      next: async () => {
        try {
          const item = await items.next();
          if (item.done) leaving.abort();
          context.forgetLoaded();
          return item;
        } catch (error) {
          leaving.abort();
          throw error;
        }
      },
      return: async (value?: unknown) => {
        // A generator that waits for an event takes `return` only after it: the signal wakes it first.
        leaving.abort();
        await items.return?.();
        return { done: true, value };
      },
      [Symbol.asyncIterator]: () => source,
    };
    return source;
  };
}
