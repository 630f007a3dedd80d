import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { parseConfig } from '../../../src/config/config-file.ts';
import type { Database } from '../../../src/database/database.ts';
import { Account, Membership, User, type MembershipRole } from '../../../src/database/entities/index.ts';
import { JobQueue } from '../../../src/jobs/job-queue.ts';
import type { Mail } from '../../../src/mail/mail.ts';
import { readPlans } from '../../../src/composition/gateway/read-plans.ts';
import { closeInvoices } from '../../../src/services/billing/jobs.ts';
import { InvoiceClosing } from '../../../src/services/billing/invoices/invoice-closing.ts';
import { InvoiceIssuing } from '../../../src/services/billing/invoices/invoice-issuing.ts';
import { Ledger } from '../../../src/services/billing/ledger.ts';
import { manualPayments } from '../../../src/services/billing/payments/manual-payments.ts';
import { budgetMails } from '../../../src/services/budgets/budget-mail.ts';
import { Arrivals } from '../../harness/arrivals.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

const plans = readPlans(parseConfig('sluice.yaml', '', {}));

describeWithDatabase('billing mail', (databases) => {
  let database: Database;
  let sent: Arrivals<Mail>;
  let failing: boolean;

  beforeAll(async () => {
    database = await databases.open();
  });

  beforeEach(async () => {
    sent = new Arrivals();
    failing = false;
    await database.query('delete from accounts');
    await database.query("update invoices set status = 'void'");
  });

  const issuing = (): InvoiceIssuing =>
    new InvoiceIssuing({
      database,
      provider: manualPayments,
      mailer: {
        send: async (mail) => {
          if (failing) throw new Error('the queue is unavailable');
          sent.push(mail);
        },
      },
      publicUrl: 'https://gate.example',
    });

  const closing = (moment: string): InvoiceClosing =>
    new InvoiceClosing({
      database,
      ledger: new Ledger(database),
      plans: () => plans,
      applyDue: async () => undefined,
      clock: new FakeClock(Date.parse(moment)),
    });

  async function newAccount(roles: readonly MembershipRole[]): Promise<string> {
    const em = database.em();
    const begun = new Date('2026-11-01T00:00:00Z');
    const named = { name: 'Ada & Söhne', plan: 'pro', timeZone: 'Europe/Berlin' };
    const account = em.create(Account, { ...named, planSince: begun, createdAt: begun });
    for (const role of roles) {
      const user = em.create(User, { email: `${role}-${randomUUID()}@example.com`, name: role, passwordHash: '-' });
      em.create(Membership, { account, user, role });
    }
    await em.flush();
    return account.id;
  }

  const roles: readonly MembershipRole[] = ['owner', 'admin', 'developer', 'billing', 'viewer'];
  const recipientRoles = (): string[] => sent.map(({ to }) => to.split('-')[0] ?? '').toSorted();

  it('mails an open invoice once, to owners and billing members', async () => {
    await newAccount(roles);
    await closing('2026-12-01T02:00:00Z').closeDue();
    await issuing().issueOpen();
    await issuing().issueOpen();
    expect(recipientRoles()).toEqual(['billing', 'owner']);
    const [{ subject = '', text = '' } = {}] = sent;
    expect(subject).toMatch(/^Invoice [0-9A-F]{12}-0001: 19\.\d\d USD$/);
    expect(text).toContain('2026-11-01 to 2026-11-30');
    expect(text).toContain('Ada & Söhne');
    expect(text).toMatch(/https:\/\/gate\.example\/invoices\/[0-9A-F]{12}-0001\.pdf/);
  });

  it('mails an invoice later if mailing it failed', async () => {
    await newAccount(['owner']);
    await closing('2026-12-01T02:00:00Z').closeDue();
    failing = true;
    await expect(issuing().issueOpen()).rejects.toThrow('1 invoices could not be issued');
    failing = false;
    await issuing().issueOpen();
    expect(recipientRoles()).toEqual(['owner']);
  });

  it('mails an invoice once where a process was paused between its mails while another one issued', async () => {
    await newAccount(['owner']);
    await newAccount(['owner']);
    await closing('2026-12-01T02:00:00Z').closeDue();
    let other: Promise<void> | null = null;
    const paused = new InvoiceIssuing({
      database,
      provider: manualPayments,
      mailer: {
        send: async (mail) => {
          sent.push(mail);
          // While this process waits, the other one mails all.
          other ??= issuing().issueOpen();
          await other;
        },
      },
      publicUrl: 'https://gate.example',
    });
    await paused.issueOpen();
    // The first is under way when the process pauses; the second is not mailed again.
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ to }) => to)).size).toBe(2);
  });

  it('issues invoices in the closing job, even if closing an account fails', async () => {
    await newAccount(['owner']);
    await closing('2026-12-01T02:00:00Z').closeDue();
    const jobs = new JobQueue(database, { scheduleSeconds: 1, pollSeconds: 0.5 });
    const failed = vi.fn(async () => {
      throw new AggregateError([], 'an account could not be billed');
    });
    closeInvoices(jobs, { closeDue: failed }, issuing());
    await jobs.start();
    await database.query(
      "insert into pgboss.job (name, data, policy) select name, '{}'::jsonb, policy from pgboss.queue where name = 'close-invoices'",
    );
    await sent.whenLength(1);
    expect(recipientRoles()).toEqual(['owner']);
    expect(failed).toHaveBeenCalled();
    await jobs.stop();
  });

  it('sends budget alerts to owners and billing members, naming the holder of the budget', async () => {
    const id = await newAccount(roles);
    const event = {
      id: 'evt_1',
      object: 'event',
      type: 'budget.alert',
      created_at: 1,
      data: { amount: '10', spent: '8.01', percent: 80, period: 'MONTH', period_start: '2026-11-01T00:00:00.000Z' },
    } as const;
    const mails = await budgetMails(database, id, event, { apiKeyId: null, memberId: null });
    expect(mails.map(({ to }) => to.split('-')[0])).toEqual(expect.arrayContaining(['owner', 'billing']));
    expect(mails).toHaveLength(2);
    expect(mails[0]?.subject).toBe('Budget alert for “Ada & Söhne”: 80 % spent');
    expect(mails[0]?.text).toContain('The budget of the account in “Ada & Söhne” has reached 80 %.');
    expect(mails[0]?.text).toContain('Spent   8.01 USD, since 2026-11-01T00:00:00.000Z');
    expect(mails[0]?.text).not.toContain('rejected');
    const [member] = await database.query<{ user_id: string; email: string }>(
      "select user_id, email from memberships join users on users.id = user_id where account_id = $1 and role = 'developer'",
      [id],
    );
    const exhausted = { ...event, data: { ...event.data, percent: 100 } };
    const [of] = await budgetMails(database, id, exhausted, { apiKeyId: null, memberId: member?.user_id ?? '' });
    expect(of?.text).toContain(`The budget of the member ${member?.email}`);
    expect(of?.text).toContain('are rejected until it resets or is raised');
    const [deleted] = await budgetMails(database, id, event, { apiKeyId: randomUUID(), memberId: null });
    expect(deleted?.text).toContain('a deleted key');
    expect(await budgetMails(database, randomUUID(), event, { apiKeyId: null, memberId: null })).toEqual([]);
  });
});
