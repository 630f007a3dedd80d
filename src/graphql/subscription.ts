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
    const items = await open({ args, context, signal: leaving.signal });
    const source: AsyncIterableIterator<Item> = {
      next: async () => {
        const item = await items.next();
        context.forgetLoaded();
        return item;
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
