import { Arg, Args, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import type { InvoicesService } from '../../services/billing/invoices/invoices.service.ts';
import type { Ledger } from '../../services/billing/ledger.ts';
import { Account } from '../accounts/account.types.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { fromTimeCursor, PageArgs, pageRequest, toConnection, toCursor } from '../relay/page.ts';
import { Money, usd } from '../scalars/money.type.ts';
import { toInvoice, toInvoiceLine } from './invoice.mapping.ts';
import { Invoice, InvoiceConnection, InvoiceLine } from './invoice.types.ts';

@Resolver(() => Invoice)
export class InvoicesResolver {
  readonly #invoices: InvoicesService;

  constructor(invoices: InvoicesService) {
    this.#invoices = invoices;
  }

  @Requires('invoices.read')
  @Query(() => InvoiceConnection, { description: 'The account’s invoices, newest first.' })
  async invoices(@Args(() => PageArgs) page: PageArgs, @Ctx() context: GraphqlContext): Promise<InvoiceConnection> {
    const { accountId } = await context.caller();
    const request = pageRequest(page);
    const { limit, from, backwards } = request;
    const after = from === null ? null : fromTimeCursor(from, backwards).at;
    const found = await this.#invoices.page(accountId, limit, after, backwards);
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
    const row = await this.#invoices.find(accountId, fromGlobalId('Invoice', id));
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
  readonly #ledger: Pick<Ledger, 'balances'>;

  constructor(ledger: Pick<Ledger, 'balances'>) {
    this.#ledger = ledger;
  }

  @FieldResolver(() => Money, {
    description:
      'Wallet balance: top-ups and credit, minus usage that is not invoiced yet. Negative if the account owes money.',
  })
  async balance(@Root() { row }: Account): Promise<Money> {
    return usd((await this.#ledger.balances(row.id)).wallet);
  }
}
