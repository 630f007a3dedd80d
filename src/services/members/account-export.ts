import { recordAudit } from '../../database/audit/record.ts';
import type { Database } from '../../database/database.ts';
import {
  Account,
  AccountRoute,
  AlertChannel,
  AlertDelivery,
  AlertEvent,
  AlertRule,
  ApiKey,
  AuditEntry,
  Batch,
  Blob,
  Budget,
  Comparison,
  ComparisonLane,
  ComparisonVote,
  Dataset,
  DatasetRun,
  DatasetRunModel,
  Invitation,
  Feedback,
  LoggedContent,
  Invoice,
  InvoiceLine,
  LedgerBalance,
  LedgerEntry,
  LedgerPosting,
  Membership,
  PlanChange,
  ProviderConnection,
  Conversation,
  ConversationItem,
  StoredChatCompletion,
  StoredFile,
  SavedView,
  StoredResponse,
  Upload,
  UsageLog,
  UsageRollup,
  Video,
  Webhook,
} from '../../database/entities/index.ts';
import { mapDatabaseErrors } from '../database-availability.ts';

interface Section {
  /** The `type` of its lines. */
  readonly type: string;
  readonly entity: new () => object;
  /** Selects the account’s rows (`$1`); by `account_id` where absent. */
  readonly where?: string;
  /** The order of the lines, which an index provides; the primary key where absent. */
  readonly order?: readonly string[];
  /** Maximum rows per page, for rows that may be megabytes long. */
  readonly pageRows?: number;
}

const ofComparison = 'comparison_id in (select id from comparisons where account_id = $1)';

const sections: readonly Section[] = [
  { type: 'account', entity: Account, where: 'id = $1' },
  { type: 'member', entity: Membership },
  { type: 'invitation', entity: Invitation },
  { type: 'api_key', entity: ApiKey },
  { type: 'budget', entity: Budget },
  { type: 'provider_connection', entity: ProviderConnection },
  { type: 'route', entity: AccountRoute },
  { type: 'webhook', entity: Webhook },
  { type: 'saved_view', entity: SavedView, where: 'account_id = $1 and is_shared' },
  { type: 'alert_rule', entity: AlertRule },
  { type: 'alert_channel', entity: AlertChannel },
  { type: 'alert', entity: AlertEvent, order: ['created_at', 'id'] },
  {
    type: 'alert_delivery',
    entity: AlertDelivery,
    where: 'event_id in (select id from alert_events where account_id = $1)',
  },
  { type: 'comparison', entity: Comparison },
  { type: 'comparison_lane', entity: ComparisonLane, where: ofComparison },
  { type: 'comparison_vote', entity: ComparisonVote, where: ofComparison },
  { type: 'plan_change', entity: PlanChange },
  { type: 'file', entity: Blob },
  { type: 'conversation', entity: Conversation },
  { type: 'conversation_item', entity: ConversationItem, order: ['conversation_id', 'position'], pageRows: 100 },
  { type: 'uploaded_file', entity: StoredFile },
  { type: 'upload', entity: Upload },
  { type: 'video', entity: Video },
  { type: 'batch', entity: Batch },
  { type: 'response', entity: StoredResponse, order: ['created_at', 'id'], pageRows: 20 },
  { type: 'chat_completion', entity: StoredChatCompletion, order: ['created_at', 'id'], pageRows: 20 },
  { type: 'feedback', entity: Feedback },
  { type: 'logged_content', entity: LoggedContent },
  { type: 'dataset', entity: Dataset },
  { type: 'dataset_run', entity: DatasetRun },
  {
    type: 'dataset_run_model',
    entity: DatasetRunModel,
    where: 'run_id in (select id from dataset_runs where account_id = $1)',
  },
  { type: 'ledger_balance', entity: LedgerBalance },
  { type: 'ledger_posting', entity: LedgerPosting },
  { type: 'ledger_entry', entity: LedgerEntry },
  { type: 'invoice', entity: Invoice },
  {
    type: 'invoice_line',
    entity: InvoiceLine,
    where: 'invoice_id in (select id from invoices where account_id = $1)',
  },
  { type: 'usage_sum', entity: UsageRollup },
  { type: 'usage', entity: UsageLog, order: ['began_at', 'event_id'] },
  { type: 'audit_entry', entity: AuditEntry, order: ['created_at', 'id'] },
];

/** Entities that are not exported, and why. A test finds an entity that is neither here nor exported. */
export const notExported: Readonly<Record<string, string>> = {
  AccessToken: 'lasts an hour at most; that it was made is in the audit log',
  AccountDeletion: 'repeats what the audit log contains',
  AlertState: 'follows from alerts',
  BatchLine: 'is internal: the results of a batch before they are a file',
  BillingMark: 'is internal: until when the account is billed',
  BudgetAlert: 'follows from budgets and usage',
  ConnectedAccount: 'counts the changes of connections and routes',
  DatasetItem: 'has lines of its own form, decrypted',
  DatasetRunItem: 'repeats items of datasets',
  DatasetRunOutput: 'has lines of its own form, decrypted',
  FailedRefund: 'is for the operator; the ledger is exported',
  LoggedText: 'repeats the words of logged content',
  LinkedIdentity: 'is the user’s, not the account’s',
  PendingSignUp: 'is no account yet',
  ProviderBatch: 'is internal: requests of a batch that a provider runs',
  MasterKeyVersion: 'is of no account',
  UsageArchive: 'is of the operator, and has the rows of all accounts',
  UsageArchivePart: 'is part of its archive',
  MailToken: 'is the user’s, not the account’s',
  PaymentCustomer: 'is what the payment provider calls the account',
  PaymentEvent: 'is of no account',
  RecoveryCode: 'is the user’s, not the account’s',
  ProviderObject: 'names what a provider holds, which the account reads there',
  ResponseEvent: 'repeats the contents of its response',
  Session: 'is the user’s, not the account’s',
  SpentToken: 'is of nobody',
  UploadPart: 'is internal: the bytes of an upload before they are a file',
  UsageRetentionMark: 'is internal: the start of the complete usage log',
  AttemptRollup: 'sums the usage log',
  StatusDay: 'belongs to no account',
  UsageTagRollup: 'sums the usage log',
  User: 'has lines of its own form',
};

export const exportedEntities: ReadonlySet<string> = new Set(sections.map(({ entity }) => entity.name));

interface Row {
  readonly line: string;
  /** The values of the order columns. */
  readonly at: string[];
}

/** JSON Lines of an account, each with its `type`. */
export type DecryptedLines = (accountId: string) => AsyncGenerator<Buffer>;

const PAGE_ROWS = 1_000;

const users = `
select row_to_json(r)::text as line from (
  select users.id, users.email, users.name, users.created_at from users
  join memberships on memberships.user_id = users.id where memberships.account_id = $1 order by users.id
) as r`;

/** Exports an account's data without secrets: no hash, ciphertext or token. One page of rows is in memory at a time. */
export class AccountExport {
  readonly #database: Database;
  readonly #decrypted: DecryptedLines;

  /** @param decrypted lines of content that is stored encrypted */
  constructor(database: Database, decrypted: DecryptedLines) {
    this.#database = database;
    this.#decrypted = decrypted;
  }

  /** JSON Lines, each with its `type`. The export is recorded in the audit log. @throws SluiceError database_unavailable */
  async *file(accountId: string): AsyncGenerator<Buffer> {
    await this.#record(accountId);
    for (const section of sections) {
      yield* this.#section(section, accountId);
      if (section.entity !== Membership) continue;
      const rows = await mapDatabaseErrors(() => this.#database.query<{ line: string }>(users, [accountId]));
      yield piece('user', rows);
    }
    yield* this.#decrypted(accountId);
  }

  async *#section(
    { type, entity, where = 'account_id = $1', order, pageRows = PAGE_ROWS }: Section,
    accountId: string,
  ): AsyncGenerator<Buffer> {
    const meta = this.#database.orm.getMetadata().get(entity);
    // Properties that are hidden from lists are omitted: hashes and ciphertexts.
    const columns = meta.props.filter(({ hidden, persist }) => hidden !== true && persist !== false);
    const names = columns.flatMap(({ fieldNames }) => fieldNames);
    const keys = order ?? meta.getPrimaryProps().flatMap(({ fieldNames }) => fieldNames);
    let after: readonly string[] | null = null;
    for (;;) {
      const beyond = after === null ? '' : `and (${keys.join()}) > (${keys.map((_, index) => `$${index + 2}`).join()})`;
      const text: string = `
        select row_to_json(r)::text as line, array[${keys.map((key) => `r.${key}::text`).join()}] as at
        from (select ${names.join()} from ${meta.tableName} where ${where} ${beyond} order by ${keys.join()} limit ${pageRows}) as r`;
      const values: string[] = [accountId, ...(after ?? [])];
      const rows: Row[] = await mapDatabaseErrors(() => this.#database.query<Row>(text, values));
      if (rows.length > 0) yield piece(type, rows);
      const last = rows.at(-1);
      if (last === undefined || rows.length < pageRows) return;
      after = last.at;
    }
  }

  async #record(accountId: string): Promise<void> {
    const em = this.#database.em();
    const target = { type: 'account', id: accountId, label: null };
    recordAudit(em, { accountId, action: 'account.exported', target });
    await mapDatabaseErrors(() => em.flush());
  }
}

function piece(type: string, rows: readonly { readonly line: string }[]): Buffer {
  return Buffer.from(rows.map(({ line }) => `{"type":"${type}",${line.slice(1)}\n`).join(''));
}
