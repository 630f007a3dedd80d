import { SluiceError } from '../errors/index.ts';
import type { KeyRecord } from '../gateway/key-directory.ts';
import type { Completions } from '../gateway/completions.ts';
import type { ModelDirectory } from '../gateway/model-directory.ts';
import type { RoutePreviewer } from '../gateway/routing/preview.ts';
import type { LiveFeed } from '../live/feed.ts';
import { authorize, authorizeScopes, type Action } from '../services/accounts/authorization.ts';
import type { AccountsService } from '../services/accounts/accounts.service.ts';
import type { ConnectionsService } from '../services/connections/connections.service.ts';
import type { SessionIdentity, SessionsService } from '../services/accounts/sessions.service.ts';
import type { MemoryKeyDirectory } from '../services/keys/key-directory.ts';
import type { GraphqlLog } from './format-error.ts';
import type { ApiKey } from './keys/api-key.types.ts';
import { KeyLoader } from './keys/key-loader.ts';
import type { KeysService } from '../services/keys/keys.service.ts';
import type { RoutesService } from '../services/routes/routes.service.ts';
import type { UsageService } from '../services/usage/usage.service.ts';
import type { VideosService } from '../services/videos/videos.service.ts';
import type { WebhooksService } from '../services/webhooks/webhooks.service.ts';

export interface GraphqlServices {
  readonly accounts: AccountsService;
  readonly sessions: SessionsService;
  readonly keys: KeysService;
  readonly directory: MemoryKeyDirectory;
  readonly connections: ConnectionsService;
  readonly accountRoutes: RoutesService;
  readonly usage: UsageService;
  readonly videos: VideosService;
  readonly webhooks: WebhooksService;
  readonly models: ModelDirectory;
  readonly routes: RoutePreviewer;
  readonly live: LiveFeed;
  readonly completions: Completions;
}

export interface GraphqlDependencies extends GraphqlServices {
  readonly log: GraphqlLog;
}

export type Membership = SessionIdentity['memberships'][number];

/** Who an operation is done for: a signed-in user in one of their accounts, or an API key. */
export type Caller =
  | {
      readonly kind: 'session';
      readonly accountId: string;
      readonly identity: SessionIdentity;
      readonly membership: Membership;
    }
  | { readonly kind: 'key'; readonly accountId: string; readonly key: KeyRecord };

/** What the transport knows of a caller, before it is looked up. */
export interface Credentials {
  readonly sessionToken: string | null;
  readonly apiKey: string | null;
  /** Which of their accounts a signed-in user means; the first where absent. */
  readonly accountId: string | null;
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** Sets or clears the session cookie; null where the transport has none to set. */
export type SetSession = ((token: string | null, expiresAt: Date | null) => void) | null;

/** One operation: its caller is looked up when the first field needs it. */
export class GraphqlContext {
  readonly services: GraphqlServices;
  readonly credentials: Credentials;
  readonly setSession: SetSession;
  // Not #private: Apollo hands resolvers a clone, which would lack such members.
  private lookup: Promise<Caller> | null = null;
  private keys: KeyLoader | null = null;

  constructor(services: GraphqlServices, credentials: Credentials, setSession: SetSession) {
    this.services = services;
    this.credentials = credentials;
    this.setSession = setSession;
  }

  /** @throws SluiceError unauthenticated | invalid_api_key | not_found | database_unavailable */
  caller(): Promise<Caller> {
    return (this.lookup ??= this.authenticate().then((caller) => this.prepared(caller)));
  }

  /** The caller, allowed to do this. @throws also SluiceError forbidden | insufficient_scope */
  async require(action: Action): Promise<Caller> {
    const caller = await this.caller();
    if (caller.kind === 'session') authorize(caller.membership.role, action);
    else authorizeScopes(caller.key.scopes, action);
    return caller;
  }

  /** The key that a completion of this caller's runs as. */
  async key(): Promise<KeyRecord> {
    const caller = await this.require('completions.run');
    return caller.kind === 'key' ? caller.key : this.services.directory.dashboardKey(caller.accountId);
  }

  /** A key of the caller's account, for a field of many rows: all of one turn are read by one query. */
  async apiKey(keyId: string): Promise<ApiKey | null> {
    this.keys ??= new KeyLoader(async (ids) => {
      const { accountId } = await this.caller();
      return this.services.keys.byIds(accountId, ids);
    });
    return this.keys.load(keyId);
  }

  /** What the account connected and routes itself is known from here on: models and completions depend on it. */
  private async prepared(caller: Caller): Promise<Caller> {
    await this.services.connections.ready(caller.accountId);
    return caller;
  }

  private async authenticate(): Promise<Caller> {
    const { apiKey, sessionToken, accountId } = this.credentials;
    if (apiKey !== null) {
      const key = await this.services.directory.find(apiKey);
      return { kind: 'key', accountId: key.accountId, key };
    }
    const identity = sessionToken === null ? null : await this.services.sessions.authenticate(sessionToken);
    if (identity === null) throw new SluiceError('unauthenticated');
    const membership =
      accountId === null ? identity.memberships[0] : identity.memberships.find((each) => each.accountId === accountId);
    if (membership === undefined) throw noAccount();
    return { kind: 'session', accountId: membership.accountId, identity, membership };
  }
}

function noAccount(): SluiceError {
  return new SluiceError('not_found', { values: { what: 'account' } });
}
