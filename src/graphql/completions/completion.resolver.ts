import { Arg, Ctx, ID, Mutation, Resolver, Root, Subscription } from 'type-graphql';
import { SluiceError } from '../../errors/index.ts';
import type { Completions } from '../../gateway/completions/completions.ts';
import type { FeedItem } from '../../live/feed.ts';
import type { CompletionUpdate } from '../../live/events.ts';
import { Requires, RequiresAtStart } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { Cursor } from '../scalars/cursor.ts';
import { subscription, type SubscribeInput } from '../operation/subscription.ts';
import { gap, toCompletionEvent } from './completion-event.mapping.ts';
import { CompletionEvent } from './completion-event.types.ts';
import { CompletionInput } from './completion.input.ts';
import type { CallerKeys } from './caller-keys.ts';

interface CompletionArgs {
  readonly input: CompletionInput;
  readonly after?: string | null;
}

@Resolver()
export class CompletionResolver {
  readonly #completions: Completions;
  readonly #keys: CallerKeys;

  constructor(completions: Completions, keys: CallerKeys) {
    this.#completions = completions;
    this.#keys = keys;
  }

  @Requires('completions.run')
  @Mutation(() => Boolean, {
    description:
      'Cancels a running completion of the caller’s key. `completion` then emits `CompletionFailed` with the code `aborted`. Output received so far is billed. Returns whether the completion was running.',
  })
  async cancelCompletion(
    @Arg('clientRequestId', () => ID, { description: 'The `clientRequestId` of the completion.' })
    clientRequestId: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    return this.#completions.cancel(await this.#keys.of(context), clientRequestId);
  }

  @RequiresAtStart('completions.run')
  @Subscription(() => CompletionEvent, {
    description: 'Runs a chat completion and streams its events.',
    subscribe: subscription(() => CompletionResolver),
  })
  completion(
    @Root() item: FeedItem<CompletionUpdate>,
    @Arg('input', () => CompletionInput, { description: 'The completion.' }) _input: CompletionInput,
    @Arg('after', () => Cursor, {
      nullable: true,
      description: 'Resumes after this cursor of the same `clientRequestId`.',
    })
    _after: string | null,
  ): typeof CompletionEvent {
    return item.type === 'gap' ? gap() : toCompletionEvent(item.cursor, item.event);
  }

  async subscribe({
    args,
    context,
    signal,
  }: SubscribeInput<CompletionArgs>): Promise<AsyncIterableIterator<FeedItem<CompletionUpdate>>> {
    const { clientRequestId, model, messages, parameters } = args.input;
    if (clientRequestId.length === 0 || clientRequestId.length > 100)
      throw new SluiceError('bad_user_input', {
        param: 'clientRequestId',
        values: { reason: 'clientRequestId: needs 1 to 100 characters' },
      });
    if (
      parameters !== undefined &&
      parameters !== null &&
      (typeof parameters !== 'object' || Array.isArray(parameters))
    )
      throw new SluiceError('bad_user_input', {
        param: 'parameters',
        values: { reason: 'parameters: must be an object' },
      });
    const key = await this.#keys.of(context);
    return this.#completions.open(
      { key, clientRequestId, body: { ...parameters, model, messages }, after: args.after ?? null },
      signal,
    );
  }
}
