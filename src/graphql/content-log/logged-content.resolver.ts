import { Arg, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from 'type-graphql';
import { eventIdOf } from '../../gateway/event-id.ts';
import type { LoggedContentsService, ReadContent } from '../../services/content-log/logged-contents.service.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { UsageLog } from '../usage/usage-log.types.ts';
import { LoggedContent, LoggedContentLevel, LoggedContentState } from './logged-content.types.ts';

const states: Readonly<Record<ReadContent['state'], LoggedContentState>> = {
  stored: LoggedContentState.STORED,
  none: LoggedContentState.NOT_LOGGED,
  pending: LoggedContentState.PENDING,
  lost: LoggedContentState.LOST,
  dropped: LoggedContentState.DROPPED,
  deleted: LoggedContentState.DELETED,
  expired: LoggedContentState.EXPIRED,
  unreadable: LoggedContentState.UNREADABLE,
};

@Resolver(() => UsageLog)
export class LoggedContentResolver {
  readonly #contents: Pick<LoggedContentsService, 'read' | 'delete'>;

  constructor(contents: Pick<LoggedContentsService, 'read' | 'delete'>) {
    this.#contents = contents;
  }

  @Requires('logged_content.read')
  @FieldResolver(() => LoggedContent, { description: 'The request’s logged content.' })
  async content(@Root() { requestId }: UsageLog, @Ctx() context: GraphqlContext): Promise<LoggedContent> {
    const { accountId } = await context.caller();
    return toLoggedContent(await this.#contents.read(accountId, eventIdOf(requestId) ?? ''));
  }

  @Requires('logged_content.delete')
  @Mutation(() => ID, {
    description:
      'Deletes the logged content of a request and returns the ID of its `UsageLog`. The content is unreadable at once.',
  })
  async deleteLoggedContent(
    @Arg('id', () => ID, { description: 'ID of a `UsageLog`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<string> {
    const { accountId } = await context.caller();
    await this.#contents.delete(accountId, fromGlobalId('UsageLog', id));
    return id;
  }
}

function toLoggedContent(content: ReadContent): LoggedContent {
  const state = states[content.state];
  if (content.state !== 'stored')
    return { state, level: null, request: null, response: null, error: null, isComplete: false, redactions: [] };
  const { request, response, error, isComplete } = content.document;
  const redactions = Object.entries(content.redactions).map(([name, count]) => ({ name, count }));
  const level = content.level === 'full' ? LoggedContentLevel.FULL : LoggedContentLevel.METADATA;
  return { state, level, request, response, error, isComplete, redactions };
}
