import { recordAudit } from '../../database/audit/record.ts';
import type { Database } from '../../database/database.ts';
import { Membership } from '../../database/entities/index.ts';
import { removeEntries } from '../audit/remove-entries.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { lockAccount } from '../accounts/account-lock.ts';

/** What happens to an entity's rows when their account is erased. A test finds an entity that is missing here. */
export const erasureRules = {
  AccessToken: 'erased with their keys',
  Account: 'emptied',
  AccountDeletion: 'retained: financial record',
  AccountRoute: 'erased',
  AlertChannel: 'erased',
  AlertDelivery: 'erased with their alerts',
  AlertEvent: 'erased',
  AlertRule: 'erased',
  AlertState: 'erased with their rules',
  ApiKey: 'erased',
  AttemptRollup: 'erased',
  AuditEntry: 'erased',
  Batch: 'erased',
  BatchLine: 'erased with their batches',
  BillingMark: 'retained: financial record',
  Blob: 'expired',
  Budget: 'erased',
  BudgetAlert: 'erased with their budgets',
  Comparison: 'erased',
  ComparisonLane: 'erased with their comparisons',
  ComparisonVote: 'erased with their comparisons',
  ConnectedAccount: 'erased',
  Dataset: 'erased',
  DatasetItem: 'erased with their datasets',
  DatasetRun: 'erased',
  DatasetRunItem: 'erased with their runs',
  DatasetRunModel: 'erased with their runs',
  DatasetRunOutput: 'erased with their runs',
  ProviderBatch: 'erased with their batches',
  Feedback: 'erased',
  Invitation: 'erased',
  FailedRefund: 'retained: financial record',
  Invoice: 'retained: financial record with the former name of the account',
  InvoiceLine: 'retained: financial record',
  LedgerBalance: 'retained: financial record',
  LedgerEntry: 'retained: financial record',
  LedgerPosting: 'retained: financial record',
  LinkedIdentity: 'erased with their users',
  LoggedContent: 'erased with their keys; the blobs that contain it expire',
  LoggedText: 'erased with their contents',
  MasterKeyVersion: 'retained: is of no account',
  UsageArchive: 'retained: is of all accounts',
  UsageArchivePart: 'retained: is part of its archive',
  MailToken: 'erased with their users',
  Membership: 'erased',
  PaymentCustomer: 'retained: payments may still arrive',
  PaymentEvent: 'retained: contains no personal data',
  PendingSignUp: 'not an account yet; removed after a day',
  PlanChange: 'retained: financial record',
  ProviderConnection: 'erased',
  ProviderObject: 'erased',
  RecoveryCode: 'erased with their users',
  ResponseEvent: 'erased with their responses',
  SavedView: 'erased',
  Session: 'erased with their users',
  SpentToken: 'retained until it expires: contains no personal data',
  Conversation: 'erased',
  ConversationItem: 'erased',
  StatusDay: 'retained: contains no personal data',
  StoredChatCompletion: 'erased',
  StoredFile: 'erased',
  StoredResponse: 'erased',
  Upload: 'erased',
  UploadPart: 'erased with their uploads',
  UsageLog: 'erased',
  UsageRetentionMark: 'retained: the start of the complete usage log',
  UsageRollup: 'retained: verifies the ledger; contains sums and ids',
  UsageTagRollup: 'erased',
  User: 'erased where they belong to no other account',
  Video: 'erased',
  Webhook: 'erased',
} as const;

/** Ordered so that no row references a deleted one. */
const erasedTables = [
  'alert_events',
  'alert_rules',
  'alert_channels',
  'saved_views',
  'budgets',
  'comparisons',
  'provider_connections',
  'account_routes',
  'connected_accounts',
  'webhooks',
  'videos',
  'batches',
  'responses',
  'chat_completions',
  'provider_objects',
  'files',
  'conversation_items',
  'conversations',
  'uploads',
  'feedback',
  'dataset_runs',
  'datasets',
  'logged_contents',
  'invitations',
  'memberships',
  'api_keys',
  'usage_tag_rollups',
  'attempt_rollups',
] as const;

const BATCH_ROWS = 5_000;
const MAX_CONCURRENT = 50;
const DAY_MS = 86_400_000;
export const ERASED_NAME = 'Erased account';

const deleteLogBatch = `
with old as (select event_id, began_at from usage_logs where account_id = $1 order by began_at limit ${BATCH_ROWS}),
gone as (
  delete from usage_logs using old
  where usage_logs.account_id = $1 and usage_logs.began_at = old.began_at and usage_logs.event_id = old.event_id returning 1
)
select count(*) as rows from gone`;

const keepFrom = `
insert into usage_retention (account_id, kept_from) values ($1, $2)
on conflict (account_id) do update set kept_from = greatest(usage_retention.kept_from, excluded.kept_from)`;

/** The account's usage up to its erasure is invoiced, and the invoice was mailed. */
const billed = `
select id from accounts as account where erased_after <= $1 and erased_at is null
  and exists (select from billing_marks where account_id = account.id and closed_until >= account.erased_after)
  and not exists (select from invoices where account_id = account.id and status = 'open' and mailed_at is null)
order by erased_after limit ${MAX_CONCURRENT}`;

/** Ends what runs elsewhere for an account. What fails there is no rejection. */
export type EndRemoteWork = (accountId: string, signal: AbortSignal) => Promise<void>;

/** Erases accounts whose grace period has ended and that are billed: everything except ledger data, which contains no names. */
export class AccountErasure {
  readonly #database: Database;
  readonly #endRemoteWork: EndRemoteWork;

  /** @param endRemoteWork called before an account's rows are erased, which say where that is */
  constructor(database: Database, endRemoteWork: EndRemoteWork) {
    this.#database = database;
    this.#endRemoteWork = endRemoteWork;
  }

  /** Idempotent, also across processes. @returns the accounts that were erased */
  async eraseDue(now: Date, signal?: AbortSignal): Promise<string[]> {
    const erased: string[] = [];
    while (!signal?.aborted) {
      const due = await mapDatabaseErrors(() => this.#database.query<{ id: string }>(billed, [now]));
      for (const { id } of due) if (await this.#erase(id, now, signal)) erased.push(id);
      if (due.length < MAX_CONCURRENT) break;
    }
    return erased;
  }

  async #erase(accountId: string, now: Date, signal?: AbortSignal): Promise<boolean> {
    await this.#endRemoteWork(accountId, signal ?? new AbortController().signal);
    if (!(await this.#emptyLog(accountId, now, signal))) return false;
    return this.#database.em().transactional(async (em) => {
      const account = await lockAccount(em, accountId).catch(() => null);
      // It was restored, or erased by another process.
      if (account === null || account.erasedAfter === null || account.erasedAfter > now) return false;
      const users = (await em.find(Membership, { account }, { fields: ['user'] })).map(({ user }) => user.id);
      // The next sweep removes the files, then their rows.
      await em.execute('update blobs set expires_at = ? where account_id = ?', [now, accountId]);
      for (const table of erasedTables) await em.execute(`delete from ${table} where account_id = ?`, [accountId]);
      await em.execute(
        `delete from users where id = any(?::uuid[]) and not exists (select from memberships where user_id = users.id)
         and not exists (select from invitations where email = users.email and accepted_at is null and revoked_at is null)`,
        [`{${users.join()}}`],
      );
      await removeEntries(em, 'account_id = ?', [accountId]);
      await em.execute('update accounts set name = ?, erased_at = ? where id = ?', [ERASED_NAME, now, accountId]);
      recordAudit(em, {
        accountId: null,
        action: 'account.erased',
        target: { type: 'account', id: accountId, label: null },
      });
      await em.flush();
      return true;
    });
  }

  /** Runs first and in batches, because there may be millions of rows. @returns whether it finished */
  async #emptyLog(accountId: string, now: Date, signal?: AbortSignal): Promise<boolean> {
    // First, so that the remaining rows are not mistaken for a complete log.
    const tomorrow = new Date((Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS);
    await this.#database.query(keepFrom, [accountId, tomorrow]);
    while (!signal?.aborted) {
      const [batch] = await this.#database.query<{ rows: string }>(deleteLogBatch, [accountId]);
      if (Number(batch?.rows ?? 0) < BATCH_ROWS) return true;
    }
    return false;
  }
}
