import { Field, ID, Int, ObjectType } from 'type-graphql';
import { PageInfo } from '../relay/page.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Money } from '../scalars/money.type.ts';

@ObjectType({ description: 'A refund that was deducted from an account’s balance but not paid out.' })
export class FailedRefund {
  @Field(() => ID, { description: 'Stripe’s ID of the refund, for `retryRefund`.' })
  refundId!: string;

  @Field(() => ID, { description: 'ID of the account.' })
  accountId!: string;

  @Field(() => String, { description: 'Name of the account.' })
  accountName!: string;

  @Field(() => Money, { description: 'Amount of the refund.' })
  amount!: Money;

  @Field(() => String, {
    nullable: true,
    description: 'Stripe’s reason, such as `expired_or_canceled_card`. Null if Stripe gave none.',
  })
  reason!: string | null;

  @Field(() => DateTime, { description: 'When the failure was reported.' })
  failedAt!: Date;
}

@ObjectType({ description: 'A failed refund with its cursor.' })
export class FailedRefundEdge {
  @Field(() => Cursor, { description: 'The cursor of this item, for `after` and `before`.' })
  cursor!: string;

  @Field(() => FailedRefund, { description: 'The refund.' })
  node!: FailedRefund;
}

@ObjectType({ description: 'A page of failed refunds, oldest first.' })
export class FailedRefundConnection {
  @Field(() => [FailedRefundEdge], { description: 'The refunds with their cursors.' })
  edges!: FailedRefundEdge[];

  @Field(() => [FailedRefund], { description: 'The refunds.' })
  nodes!: FailedRefund[];

  @Field(() => PageInfo, { description: 'Pagination information.' })
  pageInfo!: PageInfo;

  @Field(() => Int, { description: 'Total number of items over all pages.' })
  totalCount!: number;
}
