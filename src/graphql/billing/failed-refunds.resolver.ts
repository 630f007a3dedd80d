import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { NANO_PER_CENT } from '../../services/billing/invoice-lines.ts';
import { Requires } from '../access.ts';
import type { GraphqlContext } from '../context.ts';
import { timeCursor, toTimedPage } from '../members/member.mapping.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { PageArgs, pageRequest, toConnection } from '../relay/page.ts';
import { usd } from '../scalars/money.type.ts';
import { FailedRefundConnection } from './failed-refunds.types.ts';

@Resolver()
export class FailedRefundsResolver {
  @Requires('refunds.retry')
  @Query(() => FailedRefundConnection, {
    description: 'Failed refunds of this server’s accounts. Only for owners of the operator’s account.',
  })
  async failedRefunds(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() { services }: GraphqlContext,
  ): Promise<FailedRefundConnection> {
    const request = pageRequest(page);
    const found = await services.failedRefunds.list(toTimedPage(request));
    const totalCount = await services.failedRefunds.count();
    const connection = toConnection(found, request, ({ refund, accountName }) => ({
      cursor: timeCursor(refund),
      node: {
        refundId: refund.refundId,
        accountId: toGlobalId('Account', refund.accountId),
        accountName,
        amount: usd(BigInt(refund.cents) * NANO_PER_CENT),
        reason: refund.reason,
        failedAt: refund.createdAt,
      },
    }));
    return { ...connection, totalCount };
  }

  @Requires('refunds.retry')
  @Mutation(() => Boolean, {
    description:
      'Retries a failed refund through Stripe. The balance does not change. Only for owners of the operator’s account.',
  })
  async retryRefund(
    @Arg('id', () => ID, { description: 'The `refundId` of a `FailedRefund`.' }) id: string,
    @Ctx() { services }: GraphqlContext,
  ): Promise<boolean> {
    await services.failedRefunds.retry(id);
    return true;
  }
}
