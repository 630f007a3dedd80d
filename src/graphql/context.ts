import type { IncomingMessage } from 'node:http';
import type { KeyRecord } from '../gateway/keys/key-directory.ts';
import type { Completions } from '../gateway/completions/completions.ts';
import type { ModelDirectory } from '../gateway/keys/model-directory.ts';
import type { RoutePreviewer } from '../gateway/routing/preview.ts';
import type { ConfiguredRouting } from '../gateway/routing/provider-states.ts';
import type { LiveFeed } from '../live/feed.ts';
import { SluiceError } from '../errors/index.ts';
import type { Action } from '../services/authorization/authorization.ts';
import type { Caller, CallerCredentials, Callers } from '../services/authorization/callers.ts';
import type { Topic } from '../live/topic.ts';
import type { AccountsService } from '../services/identity/accounts.service.ts';
import type { FailedRefunds } from '../services/billing/failed-refunds.ts';
import type { InvoicesService } from '../services/billing/invoices.service.ts';
import type { Ledger } from '../services/billing/ledger.ts';
import type { TopUps } from '../services/billing/top-ups.ts';
import type { IncludedUsage } from '../services/billing/included-usage.ts';
import type { UpcomingInvoices } from '../services/billing/upcoming-invoice.ts';
import type { MemberReader } from '../services/accounts/member-reader.ts';
import type { UsageByKey } from '../services/usage/usage-by-key.ts';
import type { PassedThreshold } from '../services/budgets/budget-alerts.ts';
import type { BudgetCache } from '../services/budgets/budget-cache.ts';
import type { BudgetsService } from '../services/budgets/budgets.service.ts';
import type { ComparisonsService } from '../services/comparisons/comparisons.service.ts';
import type { ConnectionsService } from '../services/connections/connections.service.ts';
import type { SessionIdentity, SessionsService } from '../services/sessions/sessions.service.ts';
import type { AccessTokensService } from '../services/keys/access-tokens.service.ts';
import type { ExternalSignIn } from '../services/identity/external/external-sign-in.ts';
import type { PendingSignUps } from '../services/identity/pending-sign-ups.ts';
import type { SpendingApprovals } from '../services/accounts/spending-approvals.ts';
import type { ProfileService } from '../services/identity/profile.service.ts';
import type { TwoFactorService } from '../services/identity/two-factor/two-factor.service.ts';
import type { MemoryKeyDirectory } from '../services/keys/key-directory.ts';
import type { GraphqlLog } from './format-error.ts';
import type { GraphqlSettings } from './settings.ts';
import type { ApiKey } from './keys/api-key.types.ts';
import { toApiKey } from './keys/api-key.mapping.ts';
import type { UsageTickers } from './usage/usage-tickers.ts';
import { OperationLoaders } from './loaders/operation-loaders.ts';
import type { CostReport } from './limits/admission.ts';
import type { ConcurrencyLimiter } from './limits/concurrency-limiter.ts';
import type { KeysService } from '../services/keys/keys.service.ts';
import type { AuditLog } from '../services/audit/audit-log.ts';
import type { AccountLifecycleService } from '../services/members/account-lifecycle.service.ts';
import type { InvitationsService } from '../services/members/invitations.service.ts';
import type { MembersService } from '../services/members/members.service.ts';
import type { PlansService } from '../services/plans/plans.service.ts';
import type { RoutesService } from '../services/routes/routes.service.ts';
import type { UsageReporter } from '../services/usage/usage-report.ts';
import type { UsageService } from '../services/usage/usage.service.ts';
import type { ResponsesService } from '../services/responses/responses.service.ts';
import type { BackgroundRuns } from '../gateway/capabilities/responses/background-runs.ts';
import type { VideosService } from '../services/videos/videos.service.ts';
import type { WebhooksService } from '../services/webhooks/webhooks.service.ts';

export interface GraphqlServices {
  readonly accounts: AccountsService;
  readonly callers: Callers;
  readonly members: MembersService;
  /** Batched reads of members. */
  readonly memberReader: MemberReader;
  readonly invitations: InvitationsService;
  readonly lifecycle: AccountLifecycleService;
  readonly audit: AuditLog;
  readonly sessions: SessionsService;
  readonly profiles: ProfileService;
  readonly twoFactor: TwoFactorService;
  readonly external: ExternalSignIn;
  /** Null if the server cannot send mail. */
  readonly pendingSignUps: PendingSignUps | null;
  readonly approvals: SpendingApprovals;
  readonly keys: KeysService;
  readonly accessTokens: AccessTokensService;
  readonly directory: MemoryKeyDirectory;
  readonly connections: ConnectionsService;
  readonly accountRoutes: RoutesService;
  readonly plans: PlansService;
  readonly invoices: InvoicesService;
  readonly ledger: Pick<Ledger, 'balances'>;
  readonly topUps: TopUps;
  readonly failedRefunds: FailedRefunds;
  readonly upcomingInvoices: UpcomingInvoices;
  readonly includedUsage: IncludedUsage;
  readonly budgets: BudgetsService;
  /** Adds budgets to keys. */
  readonly spenders: Pick<BudgetCache, 'of'>;
  readonly passedThresholds: Topic<PassedThreshold>;
  readonly usage: UsageService;
  readonly usageReports: UsageReporter;
  readonly usageByKey: UsageByKey;
  readonly usageTickers: UsageTickers;
  readonly videos: VideosService;
  readonly responses: ResponsesService;
  readonly runs: Pick<BackgroundRuns, 'cancel'>;
  readonly webhooks: WebhooksService;
  readonly models: ModelDirectory;
  readonly routes: RoutePreviewer & ConfiguredRouting;
  readonly live: LiveFeed;
  readonly completions: Completions;
  readonly comparisons: ComparisonsService;
}

export interface GraphqlDependencies extends GraphqlServices {
  readonly settings: GraphqlSettings;
  readonly log: GraphqlLog;
  /** The public origin of this server. */
  readonly publicUrl: () => string;
  /** Reads and discards the rest of a rejected request's body: otherwise the client may not read the response. */
  readonly discardBody: (request: IncomingMessage, then: () => void) => void;
}

export type { Caller } from '../services/authorization/callers.ts';

/** Credentials and origin of a request, before the caller is looked up. */
export interface Credentials extends CallerCredentials {
  /** Token of a sign-in through an identity provider that awaits a two-factor code; see external-sign-in.ts. */
  readonly pendingSignIn: string | null;
  /** Token of a browser with a pending sign-up; see pending-sign-ups.ts. */
  readonly signUp?: string | null;
  /** Token of a browser with an earlier sign-in; see known-devices.ts. */
  readonly device?: string | null;
  /** Whether the request comes from this machine; see local-request.ts. */
  readonly isLocal?: boolean;
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** Sets or clears the session cookie; null if the transport cannot set cookies. */
export type SetSession = ((token: string | null, expiresAt: Date | null, device?: string) => void) | null;

/** Sets the cookie of a pending sign-up; null if the transport cannot set cookies. */
export type SetSignUpCookie = ((browser: string) => void) | null;

/** Context of one operation. The caller is looked up when the first field needs it. */
export class GraphqlContext {
  readonly services: GraphqlServices;
  readonly credentials: Credentials;
  readonly setSession: SetSession;
  readonly setSignUpCookie: SetSignUpCookie;
  /** Cost of an operation on a socket, if requested. Sent with the first result. */
  costReport: CostReport | null = null;
  /** Limits subscriptions; null over HTTP, which has none. */
  subscriptions: ConcurrencyLimiter | null = null;
  // Not #private: Apollo passes a clone to resolvers, which would lack such members.
  private lookup: Promise<Caller> | null = null;
  private session: Promise<SessionIdentity> | null = null;
  private operationLoaders: OperationLoaders | null = null;

  constructor(
    services: GraphqlServices,
    credentials: Credentials,
    setSession: SetSession,
    keepSignUp: SetSignUpCookie = null,
  ) {
    this.services = services;
    this.credentials = credentials;
    this.setSession = setSession;
    this.setSignUpCookie = keepSignUp;
  }

  /** @throws SluiceError unauthenticated | invalid_api_key | account_deleted | not_found | database_unavailable */
  async caller(): Promise<Caller> {
    const { callers } = this.services;
    const caller = await (this.lookup ??= callers
      .find(this.credentials, () => this.findSession())
      .then((found) => this.loadAccountData(found)));
    // Every time: on a socket, the first call precedes the operation.
    callers.acts(caller);
    return caller;
  }

  /** The caller, if it has this permission. @throws also SluiceError forbidden | insufficient_scope */
  async require(action: Action): Promise<Caller> {
    const caller = await this.caller();
    await this.services.callers.require(caller, action);
    return caller;
  }

  /** Whether the caller has this permission. @throws as `caller` */
  async isAllowed(action: Action): Promise<boolean> {
    try {
      await this.require(action);
      return true;
    } catch (error) {
      if (error instanceof SluiceError && error.status === 403) return false;
      throw error;
    }
  }

  /**
   * The session, for operations on the user themselves, independent of any account. API keys are not allowed.
   * @throws SluiceError unauthenticated | forbidden | database_unavailable
   */
  async requireSession(): Promise<SessionIdentity> {
    if (this.credentials.apiKey !== null)
      throw new SluiceError('forbidden', { detail: 'an API key cannot act on a user' });
    const identity = await this.findSession();
    this.services.callers.actsAsPerson(identity);
    return identity;
  }

  /** The key that the caller's completions run as, with its budgets. */
  async key(): Promise<KeyRecord> {
    const caller = await this.require('completions.run');
    const { directory, spenders } = this.services;
    if (caller.kind === 'key') return spenders.of(caller.key);
    return spenders.of(await directory.dashboardKey(caller.accountId, caller.identity.userId));
  }

  /** Batched reads of the caller's account. */
  async loaders(): Promise<OperationLoaders> {
    const { accountId } = await this.caller();
    return (this.operationLoaders ??= new OperationLoaders(this.services, accountId));
  }

  /** Clears cached reads, between two events of a subscription. */
  resetLoaders(): void {
    this.operationLoaders = null;
  }

  /** A key of the caller's account. Reads in the same turn of the event loop are batched into one query. */
  async apiKey(keyId: string): Promise<ApiKey | null> {
    const key = await (await this.loaders()).key(keyId);
    return key?.kind === 'user' ? toApiKey(key) : null;
  }

  /** Looked up once per operation. */
  private findSession(): Promise<SessionIdentity> {
    return (this.session ??= this.services.callers.person(this.credentials));
  }

  /** Loads the account's connections and routes: models and completions depend on them. */
  private async loadAccountData(caller: Caller): Promise<Caller> {
    await this.services.connections.ready(caller.accountId);
    return caller;
  }
}
