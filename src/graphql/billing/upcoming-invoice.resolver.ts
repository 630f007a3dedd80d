import { Ctx, Field, ObjectType, Query, Resolver } from 'type-graphql';
import { Requires } from '../access.ts';
import type { GraphqlContext } from '../context.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Money, usd } from '../scalars/money.type.ts';
import { toInvoiceLine } from './invoice.mapping.ts';
import { InvoiceLine } from './invoice.types.ts';

@ObjectType({ description: 'What the invoice of the running period would say now. Nothing of it is due yet.' })
export class UpcomingInvoice {
  @Field(() => DateTime, { description: 'When the period began.' })
  periodStart!: Date;

  @Field(() => DateTime, { description: 'Not part of the period.' })
  periodEnd!: Date;

  @Field(() => String, { description: 'The plan whose allowance would count.' })
  planName!: string;

  @Field(() => [InvoiceLine], { description: 'Usage up to now, and what is known besides.' })
  lines!: InvoiceLine[];

  @Field(() => Money, { description: 'The sum of the lines.' })
  total!: Money;
}

@Resolver()
export class UpcomingInvoiceResolver {
  @Requires('invoices.read')
  @Query(() => UpcomingInvoice, { description: 'What the account’s next invoice would say now.' })
  async upcomingInvoice(@Ctx() context: GraphqlContext): Promise<UpcomingInvoice> {
    const { accountId } = await context.caller();
    const { lines, totalNano, ...rest } = await context.services.upcomingInvoices.of(accountId);
    return { ...rest, lines: lines.map(toInvoiceLine), total: usd(totalNano) };
  }
}
