import { Field, ID, Int, ObjectType } from 'type-graphql';
import { PageInfo } from '../relay/page.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Money } from '../scalars/money.type.ts';

@ObjectType({ description: 'A refund that was withdrawn from an account’s balance and did not arrive.' })
export class FailedRefund {
  @Field(() => ID, { description: 'As Stripe names it: what `retryRefund` takes.' })
  refundId!: string;

  @Field(() => ID, { description: 'The account whose money it is.' })
  accountId!: string;

  @Field(() => String, { description: 'The name of that account.' })
  accountName!: string;

  @Field(() => Money, { description: 'What was to be paid back.' })
  amount!: Money;

  @Field(() => String, {
    nullable: true,
    description: 'Stripe’s reason, such as `expired_or_canceled_card`; null where it gave none.',
  })
  reason!: string | null;

  @Field(() => DateTime, { description: 'When the failure was reported.' })
  failedAt!: Date;
}

@ObjectType({ description: 'A refund that failed, and its place among the others.' })
export class FailedRefundEdge {
  @Field(() => Cursor, { description: 'Where a page can begin or end.' })
  cursor!: string;

  @Field(() => FailedRefund, { description: 'The refund.' })
  node!: FailedRefund;
}

@ObjectType({ description: 'A page of refunds that failed, the oldest first.' })
export class FailedRefundConnection {
  @Field(() => [FailedRefundEdge], { description: 'The refunds, with their places.' })
  edges!: FailedRefundEdge[];

  @Field(() => [FailedRefund], { description: 'The refunds.' })
  nodes!: FailedRefund[];

  @Field(() => PageInfo, { description: 'Whether there are more.' })
  pageInfo!: PageInfo;

  @Field(() => Int, { description: 'Over all pages.' })
  totalCount!: number;
}
