import { Arg, Args, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import type { SortedUsage } from '../../services/usage/sorted-usage.ts';
import { isTimeOrder } from '../../services/usage/usage-order.ts';
import type { UsageService } from '../../services/usage/usage.service.ts';
import { Requires } from '../operation/access.ts';
import { toUser } from '../accounts/account.mapping.ts';
import { User } from '../accounts/account.types.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { ApiKey } from '../keys/api-key.types.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { PageArgs, pageRequest } from '../relay/page.ts';
import { logPage } from './usage-log-page.ts';
import { sortedPage } from './sorted-log-page.ts';
import { toRowFilter } from './usage-row-filter.ts';
import { toUsageLog } from './usage-log.mapping.ts';
import { UsageLog, UsageLogConnection, UsageLogFilter, UsageLogOrder } from './usage-log.types.ts';
import { loadApiKey } from '../keys/load-api-key.ts';

@Resolver(() => UsageLog)
export class UsageLogsResolver {
  readonly #usage: UsageService;
  readonly #sorted: SortedUsage;

  constructor(usage: UsageService, sorted: SortedUsage) {
    this.#usage = usage;
    this.#sorted = sorted;
  }

  @Requires('usage.read')
  @Query(() => UsageLogConnection, {
    description:
      'The account’s settled requests, newest first by default. A request is listed within one second after its end.',
  })
  async usageLogs(
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => UsageLogFilter, {
      nullable: true,
      description: 'Filters the requests. Default: all requests.',
    })
    filter: UsageLogFilter | null,
    @Arg('orderBy', () => UsageLogOrder, {
      nullable: true,
      description: 'Sort order. Default: newest first. A cursor holds in the order that it is from.',
    })
    orderBy: UsageLogOrder | null,
    @Ctx() context: GraphqlContext,
  ): Promise<UsageLogConnection> {
    if (filter?.text) await context.require('logged_content.read');
    const { from, to } = filter ?? {};
    const narrowed = { ...toRowFilter(filter), from: from ?? undefined, to: to ?? undefined };
    const order = orderBy ?? UsageLogOrder.TIME_DESC;
    return isTimeOrder(order)
      ? logPage(context, this.#usage, narrowed, pageRequest(page), order)
      : sortedPage(context, this.#sorted, narrowed, pageRequest(page), order);
  }

  @Requires('usage.read')
  @Query(() => UsageLog, { nullable: true, description: 'A settled request with the computation of its cost.' })
  async usageLog(
    @Arg('id', () => ID, { description: 'ID of a `UsageLog`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<UsageLog | null> {
    const { accountId } = await context.caller();
    const row = await this.#usage.log(accountId, fromGlobalId('UsageLog', id));
    return row && toUsageLog(row);
  }

  // Callers who can read usage can see which key it belongs to.
  @Requires('usage.read')
  @FieldResolver(() => ApiKey, {
    nullable: true,
    description: 'The key that it was made with; null for a completion from the dashboard.',
  })
  apiKey(@Root() log: UsageLog, @Ctx() context: GraphqlContext): Promise<ApiKey | null> {
    return loadApiKey(context, log.apiKeyId);
  }

  @FieldResolver(() => User, {
    nullable: true,
    description: 'The member who owns the API key. Null if the key has no owner, or the owner is no longer a member.',
  })
  async user(@Root() { memberId }: UsageLog, @Ctx() context: GraphqlContext): Promise<User | null> {
    const user = memberId === null ? null : await (await context.loaders()).member(memberId);
    return user && toUser(user);
  }
}
