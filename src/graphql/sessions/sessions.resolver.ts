import { Arg, Args, Ctx, FieldResolver, ID, Query, Resolver, Root, Subscription } from 'type-graphql';
import { SluiceError } from '../../errors/index.ts';
import {
  MAX_SEARCHED,
  type RequestSession as StoredSession,
  type RequestSessions,
} from '../../services/usage/sessions/request-sessions.ts';
import type { SessionWatcher } from '../../services/usage/sessions/session-watcher.ts';
import type { UsageService } from '../../services/usage/usage.service.ts';
import { ApiKey } from '../keys/api-key.types.ts';
import { loadApiKey } from '../keys/load-api-key.ts';
import { Requires, RequiresAtStart } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { subscription, type SubscribeInput } from '../operation/subscription.ts';
import { PageArgs, pageRequest, toConnection, toCursor } from '../relay/page.ts';
import { positionOf } from '../usage/usage-log-page.ts';
import { UsageLogFilter } from '../usage/usage-log.types.ts';
import { toRowFilter } from '../usage/usage-row-filter.ts';
import { toSession, toSessionRequests } from './session.mapping.ts';
import { MAX_TREE_REQUESTS, RequestSession, RequestSessionConnection, SessionRequest } from './session.types.ts';

const idDescription = 'The session ID that the client named.';

@Resolver(() => RequestSession)
export class SessionsResolver {
  readonly #sessions: RequestSessions;
  readonly #watcher: SessionWatcher;
  readonly #usage: Pick<UsageService, 'logs'>;

  constructor(sessions: RequestSessions, watcher: SessionWatcher, usage: Pick<UsageService, 'logs'>) {
    this.#sessions = sessions;
    this.#watcher = watcher;
    this.#usage = usage;
  }

  @Requires('usage.read')
  @Query(() => RequestSessionConnection, {
    description:
      'Sessions of the account’s requests, by the last matching request, newest first. `sessionProgress` follows them.',
  })
  async sessions(
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => UsageLogFilter, {
      nullable: true,
      description: `Only sessions with a request that matches; with \`text\`, with one of the latest ${MAX_SEARCHED.toLocaleString('en')} that match. Default: all sessions.`,
    })
    filter: UsageLogFilter | null,
    @Ctx() context: GraphqlContext,
  ): Promise<RequestSessionConnection> {
    if (filter?.text) await context.require('logged_content.read');
    const { accountId } = await context.caller();
    const request = pageRequest(page);
    const { from, to } = filter ?? {};
    const narrowed = { ...toRowFilter(filter), from: from ?? undefined, to: to ?? undefined };
    const { limit, backwards } = request;
    const found = await this.#sessions.page(accountId, narrowed, limit, positionOf(request.from, backwards), backwards);
    return toConnection(found, request, ({ session, position: { beganAt, eventId } }) => ({
      cursor: toCursor([beganAt.toISOString(), eventId]),
      node: toSession(session),
    }));
  }

  @Requires('usage.read')
  @Query(() => RequestSession, { nullable: true, description: 'A session. Null if no retained request names it.' })
  async session(
    @Arg('id', () => ID, { description: idDescription }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<RequestSession | null> {
    const { accountId } = await context.caller();
    const [session] = await this.#sessions.byIds(accountId, [id]);
    return session === undefined ? null : toSession(session);
  }

  // Callers who can read usage can see which keys it belongs to.
  @Requires('usage.read')
  @FieldResolver(() => [ApiKey])
  async apiKeys(@Root() { stored }: RequestSession, @Ctx() context: GraphqlContext): Promise<ApiKey[]> {
    const keys = await Promise.all(stored.apiKeyIds.map((keyId) => loadApiKey(context, keyId)));
    return keys.filter((key) => key !== null);
  }

  @Requires('usage.read')
  @FieldResolver(() => [SessionRequest])
  async requests(
    @Root() { sessionId, stored }: RequestSession,
    @Ctx() context: GraphqlContext,
  ): Promise<SessionRequest[]> {
    const { accountId } = await context.caller();
    // The range limits the partitions that are read.
    const filter = { sessionId, from: stored.firstRequestAt };
    const { rows } = await this.#usage.logs(accountId, filter, MAX_TREE_REQUESTS, null, true);
    return toSessionRequests(rows);
  }

  @RequiresAtStart('usage.read')
  @Subscription(() => RequestSession, {
    description:
      'With `id`, the current state of a session, then each change. Without it, the account’s sessions of the last minute, then the changes of all. Changes within 500 ms are combined.',
    subscribe: subscription(() => SessionsResolver),
  })
  sessionProgress(
    @Root() session: StoredSession,
    @Arg('id', () => ID, { nullable: true, description: `${idDescription} Default: all sessions.` }) _id: string | null,
  ): RequestSession {
    return toSession(session);
  }

  async subscribe({
    args: { id = null },
    context,
    signal,
  }: SubscribeInput<{ readonly id?: string | null }>): Promise<AsyncIterableIterator<StoredSession>> {
    const { accountId } = await context.require('usage.read');
    // A missing session is an error of the operation, not an empty stream.
    if (id !== null && (await this.#sessions.byIds(accountId, [id])).length === 0)
      throw new SluiceError('not_found', { values: { what: 'session' } });
    return this.#watcher.watch(accountId, id, signal);
  }
}
