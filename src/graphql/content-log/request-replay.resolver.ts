import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql';
import { SluiceError } from '../../errors/index.ts';
import { replayRequest } from '../../gateway/replay/replay-request.ts';
import type { LoggedContentsService } from '../../services/content-log/logged-contents.service.ts';
import { whyUnreadable } from '../../services/content-log/unreadable-content.ts';
import type { UsageService } from '../../services/usage/usage.service.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { RequestReplay } from './request-replay.types.ts';

/** Prepares logged requests to be sent again. */
@Resolver()
export class RequestReplayResolver {
  readonly #contents: Pick<LoggedContentsService, 'read'>;
  readonly #usage: Pick<UsageService, 'log'>;

  constructor(contents: Pick<LoggedContentsService, 'read'>, usage: Pick<UsageService, 'log'>) {
    this.#contents = contents;
    this.#usage = usage;
  }

  @Requires('logged_content.read')
  @Query(() => RequestReplay, {
    nullable: true,
    description:
      'A request of any protocol of text generation as a chat, from its logged content. Null if the account has no such request.',
  })
  async requestReplay(
    @Arg('id', () => ID, { description: 'ID of a `UsageLog`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<RequestReplay | null> {
    const { accountId } = await context.caller();
    const eventId = fromGlobalId('UsageLog', id);
    const log = await this.#usage.log(accountId, eventId);
    if (log === null) return null;
    const { requestedModel: model, protocol } = log;
    const content = await this.#contents.read(accountId, eventId);
    const redactions =
      content.state === 'stored' ? Object.entries(content.redactions).map(([name, count]) => ({ name, count })) : [];
    const failed = (conversionError: string): RequestReplay => ({
      model,
      messages: null,
      parameters: null,
      dropped: [],
      redactions,
      conversionError,
    });
    if (protocol === null) return failed('Only requests of text generation can be opened as a chat.');
    if (content.state !== 'stored') return failed(whyUnreadable[content.state]);
    if (content.level !== 'full')
      return failed('Only metadata of this request was logged: the shape of its content, without text.');
    try {
      const replayed = replayRequest({ protocol, body: content.document.request, model });
      return { ...replayed, dropped: [...replayed.dropped], model, redactions, conversionError: null };
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      return failed(error.message);
    }
  }
}
