import { Arg, Args, Ctx, ID, Query, Resolver } from 'type-graphql';
import type { AlertHistory } from '../../services/alerts/history.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { PageArgs, pageRequest, toConnection } from '../relay/page.ts';
import { timeCursor, toTimedPage } from '../relay/timed-page.ts';
import { toAlert } from './alert.mapping.ts';
import { AlertConnection } from './alert.types.ts';

@Resolver()
export class AlertHistoryResolver {
  readonly #history: AlertHistory;

  constructor(history: AlertHistory) {
    this.#history = history;
  }

  @Requires('alerts.read')
  @Query(() => AlertConnection, {
    description: 'Alerts that fired or resolved, and tests of channels, newest first. They are retained for 180 days.',
  })
  async alerts(
    @Args(() => PageArgs) page: PageArgs,
    @Arg('ruleId', () => ID, { nullable: true, description: 'ID of an `AlertRule`. Default: all rules.' })
    ruleId: string | null,
    @Ctx() context: GraphqlContext,
  ): Promise<AlertConnection> {
    const { accountId } = await context.caller();
    const request = pageRequest(page);
    const rule = ruleId ? fromGlobalId('AlertRule', ruleId) : null;
    const found = await this.#history.list(accountId, rule, toTimedPage(request));
    const deliveries = await this.#history.deliveries(
      accountId,
      found.rows.map(({ id }) => id),
    );
    return toConnection(found, request, (row) => ({ cursor: timeCursor(row), node: toAlert(row, deliveries) }));
  }
}
