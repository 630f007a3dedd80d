import { Arg, Args, ID, Mutation, Query, Resolver } from 'type-graphql';
import type { FailedRefunds } from '../../services/billing/failed-refunds.ts';
import { NANO_PER_CENT } from '../../services/billing/invoices/invoice-lines.ts';
import { Requires } from '../operation/access.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { PageArgs, pageRequest, toConnection } from '../relay/page.ts';
import { timeCursor, toTimedPage } from '../relay/timed-page.ts';
import { usd } from '../scalars/money.type.ts';
import { FailedRefundConnection } from './failed-refunds.types.ts';

@Resolver()
export class FailedRefundsResolver {
  readonly #failedRefunds: FailedRefunds;

  constructor(failedRefunds: FailedRefunds) {
    this.#failedRefunds = failedRefunds;
  }

  @Requires('refunds.retry')
  @Query(() => FailedRefundConnection, {
    description: 'Failed refunds of this server’s accounts. Only for owners of the operator’s account.',
  })
  async failedRefunds(@Args(() => PageArgs) page: PageArgs): Promise<FailedRefundConnection> {
    const request = pageRequest(page);
    const found = await this.#failedRefunds.list(toTimedPage(request));
    const totalCount = await this.#failedRefunds.count();
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
  ): Promise<boolean> {
    await this.#failedRefunds.retry(id);
    return true;
  }
}
