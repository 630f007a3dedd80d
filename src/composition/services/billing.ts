import type { Logger } from 'pino';
import type { Environment } from '../../config/environment.ts';
import type { Database } from '../../database/database.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { Mailer } from '../../mail/mail.ts';
import { closeInvoices } from '../../services/billing/jobs.ts';
import { FailedRefunds } from '../../services/billing/failed-refunds.ts';
import { InvoiceClosing } from '../../services/billing/invoices/invoice-closing.ts';
import { InvoiceIssuing } from '../../services/billing/invoices/invoice-issuing.ts';
import { InvoicesService } from '../../services/billing/invoices/invoices.service.ts';
import { Ledger } from '../../services/billing/ledger.ts';
import type { ConnectedStripe } from '../../services/billing/payments/connect-stripe.ts';
import { enrollAccounts } from '../../services/billing/payments/jobs.ts';
import { manualPayments } from '../../services/billing/payments/manual-payments.ts';
import type { StripeWebhook } from '../../services/billing/payments/stripe-webhook.ts';
import { TopUps } from '../../services/billing/top-ups.ts';
import { IncludedUsage } from '../../services/billing/included-usage.ts';
import { UpcomingInvoices } from '../../services/billing/invoices/upcoming-invoice.ts';
import type { PlanCatalogue } from '../../services/plans/plan.ts';

export interface BillingOptions {
  readonly environment: Pick<
    Environment,
    'HOST' | 'PORT' | 'SLUICE_PUBLIC_URL' | 'STRIPE_SECRET_KEY' | 'STRIPE_WEBHOOK_SECRET' | 'STRIPE_API_BASE'
  >;
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly mailer: Pick<Mailer, 'send'>;
  /** As configured now. */
  readonly plans: () => PlanCatalogue;
  /** Applies plan changes that are due. */
  readonly applyDue: () => Promise<void>;
  /** Called when the balance of an account changes. */
  readonly balanceChanged: (accountId: string) => Promise<void>;
  readonly log: Pick<Logger, 'warn'>;
}

export interface WiredBilling {
  readonly ledger: Ledger;
  readonly invoices: InvoicesService;
  /** Services for GraphQL. */
  readonly services: {
    readonly ledger: Ledger;
    readonly invoices: InvoicesService;
    readonly upcomingInvoices: UpcomingInvoices;
    readonly includedUsage: IncludedUsage;
    readonly topUps: TopUps;
    readonly failedRefunds: FailedRefunds;
  };
  /** Null without a webhook secret: signatures cannot be verified. */
  readonly webhook: StripeWebhook | null;
  /** Called when the plan of an account may have changed. */
  planChanged(accountId: string): void;
}

/** Wires billing and payments. Call it before the job queue starts. */
export async function wireBilling(options: BillingOptions): Promise<WiredBilling> {
  const { environment, database, jobs, mailer, plans, applyDue, log } = options;
  const ledger = new Ledger(database);
  const invoices = new InvoicesService(database, ledger);
  const stripe = await openStripe(options, { ledger, invoices });
  const provider = stripe?.payments ?? manualPayments;
  const publicUrl = publicUrlOf(environment);
  closeInvoices(
    jobs,
    new InvoiceClosing({ database, ledger, plans, applyDue }),
    new InvoiceIssuing({ database, provider, mailer, publicUrl }),
  );
  const { enroll } = provider;
  const isPaid = async (accountId: string): Promise<boolean> => {
    const sql = 'select plan from accounts where id = $1 and erased_after is null';
    const [row] = await database.query<{ plan: string }>(sql, [accountId]);
    return row !== undefined && plans().of(row.plan).feeNano > 0n;
  };
  const onFault = (err: unknown): void => log.warn({ err }, 'enrolling an account at the payment provider failed');
  return {
    ledger,
    invoices,
    services: {
      ledger,
      invoices,
      upcomingInvoices: new UpcomingInvoices({ database, plans }),
      includedUsage: new IncludedUsage({ database, plans }),
      topUps: new TopUps(provider),
      failedRefunds: new FailedRefunds(database, stripe?.refunds ?? null),
    },
    webhook: stripe?.webhook ?? null,
    planChanged: enroll === null ? () => undefined : enrollAccounts(jobs, { enroll, isPaid, onFault }),
  };
}

async function openStripe(
  { environment, database, balanceChanged, log }: BillingOptions,
  books: { readonly ledger: Ledger; readonly invoices: InvoicesService },
): Promise<ConnectedStripe | null> {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_API_BASE: apiBase, STRIPE_WEBHOOK_SECRET: webhookSecret } = environment;
  if (secretKey === undefined) return null;
  const { connectStripe } = await import('../../services/billing/payments/connect-stripe.ts');
  const publicUrl = publicUrlOf(environment);
  return connectStripe({ ...books, secretKey, apiBase, webhookSecret, database, balanceChanged, log, publicUrl });
}

/** Origin of links in mail and of the return URL of payments. */
function publicUrlOf({ SLUICE_PUBLIC_URL: url, HOST, PORT }: BillingOptions['environment']): string {
  if (url !== undefined) return url;
  const host = HOST === '0.0.0.0' || HOST === '::' ? 'localhost' : HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`;
}
