import { Ctx, Field, ObjectType, Query, Resolver } from 'type-graphql';
import type {
  UpcomingInvoice as Upcoming,
  UpcomingInvoices,
} from '../../services/billing/invoices/upcoming-invoice.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Money, usd } from '../scalars/money.type.ts';
import { toInvoiceLine } from './invoice.mapping.ts';
import { InvoiceLine } from './invoice.types.ts';

@ObjectType({ description: 'A preview of the invoice of a period. Nothing is due yet.' })
export class UpcomingInvoice {
  @Field(() => DateTime, { description: 'Start of the period.' })
  periodStart!: Date;

  @Field(() => DateTime, { description: 'End of the period, exclusive.' })
  periodEnd!: Date;

  @Field(() => String, { description: 'The plan whose allowance applies.' })
  planName!: string;

  @Field(() => [InvoiceLine], { description: 'Usage so far, and other known charges and credits.' })
  lines!: InvoiceLine[];

  @Field(() => Money, { description: 'The sum of the lines.' })
  total!: Money;
}

@Resolver()
export class UpcomingInvoiceResolver {
  readonly #upcomingInvoices: UpcomingInvoices;

  constructor(upcomingInvoices: UpcomingInvoices) {
    this.#upcomingInvoices = upcomingInvoices;
  }

  @Requires('invoices.read')
  @Query(() => UpcomingInvoice, { description: 'A preview of the account’s next invoice.' })
  async upcomingInvoice(@Ctx() context: GraphqlContext): Promise<UpcomingInvoice> {
    const { accountId } = await context.caller();
    return toUpcomingInvoice(await this.#upcomingInvoices.of(accountId));
  }

  @Requires('invoices.read')
  @Query(() => [UpcomingInvoice], {
    description:
      'Previews of the next invoices: one for each past period that is not invoiced yet and has something to invoice, oldest first, then one for the current period.',
  })
  async upcomingInvoices(@Ctx() context: GraphqlContext): Promise<UpcomingInvoice[]> {
    const { accountId } = await context.caller();
    return (await this.#upcomingInvoices.all(accountId)).map(toUpcomingInvoice);
  }
}

function toUpcomingInvoice({ lines, totalNano, ...rest }: Upcoming): UpcomingInvoice {
  return { ...rest, lines: lines.map(toInvoiceLine), total: usd(totalNano) };
}
