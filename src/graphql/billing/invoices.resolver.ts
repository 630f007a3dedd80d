import { Arg, Args, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import { Account } from '../accounts/account.types.ts';
import { Requires } from '../access.ts';
import type { GraphqlContext } from '../context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { fromTimeCursor, PageArgs, pageRequest, toConnection, toCursor } from '../relay/page.ts';
import { Money, usd } from '../scalars/money.type.ts';
import { toInvoice, toInvoiceLine } from './invoice.mapping.ts';
import { Invoice, InvoiceConnection, InvoiceLine } from './invoice.types.ts';

@Resolver(() => Invoice)
export class InvoicesResolver {
  @Requires('invoices.read')
  @Query(() => InvoiceConnection, { description: 'The account’s invoices, newest first.' })
  async invoices(@Args(() => PageArgs) page: PageArgs, @Ctx() context: GraphqlContext): Promise<InvoiceConnection> {
    const { accountId } = await context.caller();
    const request = pageRequest(page);
    const { limit, from, backwards } = request;
    const after = from === null ? null : fromTimeCursor(from).at;
    const found = await context.services.invoices.page(accountId, limit, after, backwards);
    return toConnection(found, request, (row) => ({
      cursor: toCursor([row.periodStart.toISOString(), row.id]),
      node: toInvoice(row),
    }));
  }

  @Requires('invoices.read')
  @Query(() => Invoice, { nullable: true, description: 'One of the account’s invoices.' })
  async invoice(
    @Arg('id', () => ID, { description: 'ID of an `Invoice`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<Invoice | null> {
    const { accountId } = await context.caller();
    const row = await context.services.invoices.find(accountId, fromGlobalId('Invoice', id));
    return row && toInvoice(row);
  }

  @FieldResolver(() => [InvoiceLine], { description: 'Invoice lines in the order of the PDF.' })
  async lines(@Root() { rowId }: Invoice, @Ctx() context: GraphqlContext): Promise<InvoiceLine[]> {
    const loaders = await context.loaders();
    return (await loaders.linesOf(rowId)).map(toInvoiceLine);
  }
}

@Resolver(() => Account)
export class BalanceResolver {
  @FieldResolver(() => Money, {
    description:
      'Wallet balance: top-ups and credit, minus usage that is not invoiced yet. Negative if the account owes money.',
  })
  async balance(@Root() { row }: Account, @Ctx() context: GraphqlContext): Promise<Money> {
    return usd((await context.services.ledger.balances(row.id)).wallet);
  }
}
