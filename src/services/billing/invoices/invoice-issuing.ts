import type { Database } from '../../../database/database.ts';
import type { Mailer } from '../../../mail/mail.ts';
import { billingContacts } from '../../accounts/billing-contacts.ts';
import { invoiceMail, type IssuedInvoice } from './invoice-mail.ts';
import { NANO_PER_CENT } from './invoice-lines.ts';
import { accountsToWithdraw } from '../payments/payment-customers.ts';
import type { PaymentProvider } from '../payments/payment-provider.ts';

export interface InvoiceIssuingDependencies {
  readonly database: Database;
  readonly provider: Pick<PaymentProvider, 'collect' | 'withdraw'>;
  readonly mailer: Pick<Mailer, 'send'>;
  /** The public origin of this server. */
  readonly publicUrl: string;
}

interface OpenRow {
  readonly id: string;
  readonly account_id: string;
  readonly number: string;
  readonly account_name: string;
  readonly plan_name: string;
  readonly time_zone: string;
  /** Milliseconds since the epoch, and so below. */
  readonly start_ms: string;
  readonly end_ms: string;
  readonly due_ms: string;
  readonly total_nano: string;
}

const PAGE_INVOICES = 500;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

const open = `
select id, account_id, number, account_name, plan_name, time_zone, total_nano,
  (extract(epoch from period_start) * 1000)::bigint as start_ms, (extract(epoch from period_end) * 1000)::bigint as end_ms,
  (extract(epoch from due_at) * 1000)::bigint as due_ms
from invoices where status = 'open' and id > $1`;
const unmailed = `${open} and mailed_at is null order by id limit ${PAGE_INVOICES}`;
const uncollected = `${open} and collected_at is null order by id limit ${PAGE_INVOICES}`;

/** The page that contains it may be old: another process has issued it, where this one was paused. */
const isOpen = (step: Step): string => `select from invoices where id = $1 and status = 'open' and ${step} is null`;

type Step = 'mailed_at' | 'collected_at';

/**
 * Issues open invoices: mails them to owners and billing members, and passes them to the payment provider. Each step is recorded,
 * so that it is done once; if the process exits in between, the mail may be sent twice, and the payment provider recognizes the
 * invoice by its id. Also ends the payment provider's subscription of accounts whose last invoice is issued.
 */
export class InvoiceIssuing {
  readonly #dependencies: InvoiceIssuingDependencies;

  constructor(dependencies: InvoiceIssuingDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws AggregateError after all invoices were tried: one failure does not delay the others */
  async issueOpen(signal?: AbortSignal): Promise<void> {
    const failures: unknown[] = [];
    const { collect, withdraw } = this.#dependencies.provider;
    await this.#each(unmailed, (row) => this.#mail(row), failures, signal);
    if (collect !== null) await this.#each(uncollected, (row) => this.#collect(row), failures, signal);
    if (withdraw !== null) await this.#withdrawAll(withdraw, failures, signal);
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} invoices could not be issued`);
  }

  async #withdrawAll(
    withdraw: NonNullable<PaymentProvider['withdraw']>,
    failures: unknown[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    for (const accountId of await accountsToWithdraw(this.#dependencies.database)) {
      if (signal?.aborted) return;
      await withdraw(accountId).catch((error: unknown) => failures.push(error));
    }
  }

  async #each(
    sql: string,
    work: (row: OpenRow) => Promise<void>,
    failures: unknown[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    let after = NIL_UUID;
    for (;;) {
      const page = await this.#dependencies.database.query<OpenRow>(sql, [after]);
      for (const row of page) {
        if (signal?.aborted) return;
        await work(row).catch((error: unknown) => failures.push(error));
      }
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE_INVOICES) return;
      after = last.id;
    }
  }

  async #isDue(id: string, step: Step): Promise<boolean> {
    return (await this.#dependencies.database.query(isOpen(step), [id])).length > 0;
  }

  async #mail(row: OpenRow): Promise<void> {
    const { database, mailer, publicUrl } = this.#dependencies;
    if (!(await this.#isDue(row.id, 'mailed_at'))) return;
    const contacts = await billingContacts(database, row.account_id);
    for (const to of contacts?.addresses ?? []) await mailer.send(invoiceMail(issued(row), to, publicUrl));
    await database.query('update invoices set mailed_at = now() where id = $1 and mailed_at is null', [row.id]);
  }

  async #collect({ id, number, account_id: accountId, total_nano: total }: OpenRow): Promise<void> {
    const { database, provider } = this.#dependencies;
    if (!(await this.#isDue(id, 'collected_at'))) return;
    const at = await provider.collect?.({ id, number, accountId, cents: Number(BigInt(total) / NANO_PER_CENT) });
    if (!at) return;
    await database.query('update invoices set collected_at = $2 where id = $1 and collected_at is null', [id, at]);
  }
}

function issued(row: OpenRow): IssuedInvoice {
  return {
    number: row.number,
    accountName: row.account_name,
    planName: row.plan_name,
    timeZone: row.time_zone,
    periodStart: new Date(Number(row.start_ms)),
    periodEnd: new Date(Number(row.end_ms)),
    dueAt: new Date(Number(row.due_ms)),
    totalNano: BigInt(row.total_nano),
  };
}
