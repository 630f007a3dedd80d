import DataLoader from 'dataloader';
import type {
  Account,
  ApiKey as ApiKeyEntity,
  InvoiceLine as InvoiceLineEntity,
  User as UserEntity,
} from '../../database/entities/index.ts';
import type { UsageLog as UsageLogEntity } from '../../database/entities/usage-log.entity.ts';
import type { AccountsService } from '../../services/identity/accounts.service.ts';
import type { MemberReader } from '../../services/accounts/member-reader.ts';
import type { InvoicesService } from '../../services/billing/invoices/invoices.service.ts';
import type { RunModel, RunReader } from '../../services/dataset-runs/run-reader.ts';
import type { FeedbackRow, FeedbackService } from '../../services/feedback/feedback.service.ts';
import type { KeysService } from '../../services/keys/keys.service.ts';
import type { KeyUsageQuery, UsageByKey } from '../../services/usage/report/usage-by-key.ts';
import type { UsageReport } from '../../services/usage/report/usage-report.ts';
import { OperationContentBudget } from './content-budget.ts';

export interface LoaderServices {
  readonly accounts: Pick<AccountsService, 'account'>;
  readonly memberReader: MemberReader;
  readonly keys: Pick<KeysService, 'byIds'>;
  readonly invoices: Pick<InvoicesService, 'linesOf'>;
  readonly usageByKey: UsageByKey;
  readonly feedback: Pick<FeedbackService, 'ofRequests' | 'ofSessions'>;
  readonly datasetRuns: Pick<RunReader, 'models'>;
}

/** Batches all loads of one turn of the event loop. */
const gathered = { batchScheduleFn: (run: () => void): void => void setImmediate(run) } as const;

/**
 * Batched reads of one account: one statement per kind for all rows of a page. Caches results: create one instance per
 * operation.
 */
export class OperationLoaders {
  readonly datasetContent = new OperationContentBudget();
  readonly #services: LoaderServices;
  readonly #accountId: string;
  #account: Promise<Account> | null = null;
  readonly #keys: DataLoader<string, ApiKeyEntity | null>;
  readonly #members: DataLoader<string, UserEntity | null>;
  readonly #lines: DataLoader<string, readonly InvoiceLineEntity[]>;
  readonly #runModels: DataLoader<string, readonly RunModel[]>;
  readonly #requestFeedback: DataLoader<string, readonly FeedbackRow[]>;
  readonly #sessionFeedback: DataLoader<string, readonly FeedbackRow[]>;
  /** By query. */
  readonly #usage = new Map<string, DataLoader<string, UsageReport>>();
  readonly #logs = new Map<number, DataLoader<string, readonly UsageLogEntity[]>>();

  constructor(services: LoaderServices, accountId: string) {
    this.#services = services;
    this.#accountId = accountId;
    this.#keys = new DataLoader(async (ids) => {
      const rows = new Map((await services.keys.byIds(accountId, ids)).map((row) => [row.id, row]));
      return ids.map((id) => rows.get(id) ?? null);
    }, gathered);
    this.#members = new DataLoader(async (ids) => {
      const users = await services.memberReader.byIds(accountId, ids);
      return ids.map((id) => users.get(id) ?? null);
    }, gathered);
    this.#runModels = new DataLoader(async (ids) => {
      const models = Map.groupBy(await services.datasetRuns.models(ids), ({ runId }) => runId);
      return ids.map((id) => models.get(id) ?? []);
    }, gathered);
    this.#requestFeedback = new DataLoader(async (ids) => {
      const rows = Map.groupBy(await services.feedback.ofRequests(accountId, ids), (row) => row.event_id);
      return ids.map((id) => rows.get(id) ?? []);
    }, gathered);
    this.#sessionFeedback = new DataLoader(async (ids) => {
      const rows = Map.groupBy(await services.feedback.ofSessions(accountId, ids), (row) => row.session_id);
      return ids.map((id) => rows.get(id) ?? []);
    }, gathered);
    this.#lines = new DataLoader(async (ids) => {
      const lines = Map.groupBy(await services.invoices.linesOf(ids), ({ invoice }) => invoice.id);
      return ids.map((id) => lines.get(id) ?? []);
    }, gathered);
  }

  /** @throws SluiceError not_found, and in every method database_unavailable */
  account(): Promise<Account> {
    return (this.#account ??= this.#services.accounts.account(this.#accountId));
  }

  /** A key of the account, including revoked ones; null if it does not exist. */
  key(id: string): Promise<ApiKeyEntity | null> {
    return this.#keys.load(id);
  }

  /** Lines of an invoice. The caller must have checked that the invoice belongs to the account. */
  linesOf(invoiceId: string): Promise<readonly InvoiceLineEntity[]> {
    return this.#lines.load(invoiceId);
  }

  /** Models of a dataset run in their order. The caller must have checked that the run belongs to the account. */
  datasetRunModels(runId: string): Promise<readonly RunModel[]> {
    return this.#runModels.load(runId);
  }

  /** Feedback of a request, oldest first. */
  feedbackOfRequest(eventId: string): Promise<readonly FeedbackRow[]> {
    return this.#requestFeedback.load(eventId);
  }

  /** Feedback of a session as a whole, oldest first. */
  feedbackOfSession(sessionId: string): Promise<readonly FeedbackRow[]> {
    return this.#sessionFeedback.load(sessionId);
  }

  /** A member of the account; null for a former member. */
  member(userId: string): Promise<UserEntity | null> {
    return this.#members.load(userId);
  }

  /** @throws SluiceError bad_user_input */
  usageOf(keyId: string, query: KeyUsageQuery): Promise<UsageReport> {
    const name = JSON.stringify(query);
    let loader = this.#usage.get(name);
    if (loader === undefined) {
      loader = new DataLoader(async (ids: readonly string[]) => {
        const { id, timeZone } = await this.account();
        return this.#services.usageByKey.reports({ id, timeZone }, ids, query);
      }, gathered);
      this.#usage.set(name, loader);
    }
    return loader.load(keyId);
  }

  /** Newest first. */
  logsOf(keyId: string, first: number): Promise<readonly UsageLogEntity[]> {
    let loader = this.#logs.get(first);
    if (loader === undefined) {
      loader = new DataLoader(
        (ids: readonly string[]) => this.#services.usageByKey.lastLogs(this.#accountId, ids, first),
        gathered,
      );
      this.#logs.set(first, loader);
    }
    return loader.load(keyId);
  }
}
