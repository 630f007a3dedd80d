import { Ctx, Field, ObjectType, Query, Resolver } from 'type-graphql';
import { Requires } from '../access.ts';
import type { GraphqlContext } from '../context.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Money, usd } from '../scalars/money.type.ts';
import type { UpcomingInvoice as Upcoming } from '../../services/billing/upcoming-invoice.ts';
import { toInvoiceLine } from './invoice.mapping.ts';
import { InvoiceLine } from './invoice.types.ts';

@ObjectType({ description: 'What the invoice of a period would say now. Nothing of it is due yet.' })
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
    return toUpcomingInvoice(await context.services.upcomingInvoices.of(accountId));
  }

  @Requires('invoices.read')
  @Query(() => [UpcomingInvoice], {
    description:
      'What the next invoices would say now: of each period that is over, not invoiced yet and has something to invoice, oldest first, then of the current one.',
  })
  async upcomingInvoices(@Ctx() context: GraphqlContext): Promise<UpcomingInvoice[]> {
    const { accountId } = await context.caller();
    return (await context.services.upcomingInvoices.all(accountId)).map(toUpcomingInvoice);
  }
}

function toUpcomingInvoice({ lines, totalNano, ...rest }: Upcoming): UpcomingInvoice {
  return { ...rest, lines: lines.map(toInvoiceLine), total: usd(totalNano) };
}
