import { SluiceError } from '../../errors/index.ts';
import type { Action } from '../../services/authorization/authorization.ts';
import type { Caller, CallerCredentials, Callers } from '../../services/authorization/callers.ts';
import type { SessionIdentity } from '../../services/sessions/sessions.service.ts';
import type { ConnectionsService } from '../../services/connections/connections.service.ts';
import type { CostReport } from './cost-report.ts';
import type { OperationLoaders } from './operation-loaders.ts';

/** How a context finds its caller and reads the caller's account. */
export interface ContextSources {
  readonly callers: Callers;
  /** Loads the account's connections and routes: models and completions depend on them. */
  readonly connections: Pick<ConnectionsService, 'ready'>;
  /** Batched reads of an account, for one operation. */
  readonly loaders: (accountId: string) => OperationLoaders;
}

export type { Caller } from '../../services/authorization/callers.ts';

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

/** Limits the concurrent subscriptions of each caller. */
export interface SubscriptionLimiter {
  /** @returns releases the slot @throws GraphQLError of a SluiceError operation_too_large */
  acquire(caller: Caller): () => void;
}

/** Sets or clears the session cookie; null if the transport cannot set cookies. */
export type SetSession = ((token: string | null, expiresAt: Date | null, device?: string) => void) | null;

/** Sets the cookie of a pending sign-up; null if the transport cannot set cookies. */
export type SetSignUpCookie = ((browser: string) => void) | null;

/** Context of one operation. The caller is looked up when the first field needs it. */
export class GraphqlContext {
  readonly credentials: Credentials;
  readonly setSession: SetSession;
  readonly setSignUpCookie: SetSignUpCookie;
  /** Cost of an operation on a socket, if requested. Sent with the first result. */
  costReport: CostReport | null = null;
  /** Limits subscriptions; null over HTTP, which has none. */
  subscriptions: SubscriptionLimiter | null = null;
  // Not #private: Apollo passes a clone to resolvers, which would lack such members.
  private readonly sources: ContextSources;
  private lookup: Promise<Caller> | null = null;
  private session: Promise<SessionIdentity> | null = null;
  private operationLoaders: OperationLoaders | null = null;

  constructor(
    sources: ContextSources,
    credentials: Credentials,
    setSession: SetSession,
    keepSignUp: SetSignUpCookie = null,
  ) {
    this.sources = sources;
    this.credentials = credentials;
    this.setSession = setSession;
    this.setSignUpCookie = keepSignUp;
  }

  /** @throws SluiceError unauthenticated | invalid_api_key | account_deleted | not_found | database_unavailable */
  async caller(): Promise<Caller> {
    const { callers } = this.sources;
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
    await this.sources.callers.require(caller, action);
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
    this.sources.callers.actsAsPerson(identity);
    return identity;
  }

  /** Batched reads of the caller's account. */
  async loaders(): Promise<OperationLoaders> {
    const { accountId } = await this.caller();
    return (this.operationLoaders ??= this.sources.loaders(accountId));
  }

  /** Clears cached reads, between two events of a subscription. */
  resetLoaders(): void {
    this.operationLoaders = null;
  }

  /** Looked up once per operation. */
  private findSession(): Promise<SessionIdentity> {
    return (this.session ??= this.sources.callers.person(this.credentials));
  }

  private async loadAccountData(caller: Caller): Promise<Caller> {
    await this.sources.connections.ready(caller.accountId);
    return caller;
  }
}
