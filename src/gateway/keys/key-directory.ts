import type { ContentSettings } from '../content/content-level.ts';
import type { SpendBound } from './spend-bound.ts';
import type { ModerationSettings } from './moderation-settings.ts';

/** The scopes of a key. `inference` is `/v1`; `read` and `manage` are GraphQL. */
export type Scope = 'inference' | 'read' | 'manage';

/**
 * The credential that identified a key: its secret, the secret before the last rotation, an access token, or a member's
 * session.
 */
export type Credential = 'secret' | 'superseded_secret' | 'access_token' | 'session';

export type KeyRole = 'owner' | 'admin' | 'developer' | 'billing' | 'viewer';

/** Upper bounds of requests; `Infinity` where there is none. */
export interface RateLimits {
  readonly requestsPerMinute: number;
  readonly tokensPerMinute: number;
  readonly requestsPerDay: number;
  /** Requests at the same time. */
  readonly concurrency: number;
}

/** Limits of a key for single models or capabilities. */
export interface PartLimits {
  /** By canonical name (`provider/model`), bare name, or route name. */
  readonly models: ReadonlyMap<string, RateLimits>;
  /** By capability name. */
  readonly capabilities: ReadonlyMap<string, RateLimits>;
}

/** The terms of an account's plan for its requests. One shared frozen object per plan. */
export interface PlanTerms {
  /** `free`, `pro` ... */
  readonly id: string;
  /** Names of the allowed capabilities; null for all. */
  readonly capabilities: ReadonlySet<string> | null;
  /** Canonical names (`provider/model`) or bare ones; null for all. */
  readonly models: readonly string[] | null;
  /** Markup on each cost, in parts per million; 0 for none. */
  readonly markupPpm: number;
  /** How spending beyond the allowance and the balance is handled. */
  readonly overage: 'refuse' | 'bill';
}

/** What an account lacks for spending on the operator's credentials: a verified address, or the operator's approval. */
export type SpendingRestriction = 'verification' | 'approval';

/** A key as the data plane knows it. One shared frozen object per key, replaced when the key changes. */
export interface KeyRecord {
  readonly id: string;
  readonly accountId: string;
  /** The key's user, if it has one. */
  readonly memberId: string | null;
  /** `secret` if absent. For stored objects, a session has the access of its member. */
  readonly credential?: Credential;
  /** The secret that identified it, or that created the token; see secret-id.ts. */
  readonly secretId?: string;
  /** For a token: its own id. */
  readonly tokenId?: string;
  /**
   * For a token: its own id and that of another key that created it. It ends when one of them, or its key, is revoked.
   */
  readonly revokedWithIds?: readonly string[];
  /**
   * For a token created by another user: the key's user, whose permissions bound it. Its spending counts for
   * `memberId`.
   */
  readonly keyMemberId?: string | null;
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Its role in the control plane; unused in the data plane. */
  readonly role?: KeyRole | null;
  /** Canonical names (`provider/model`) or bare ones; `null` allows all. */
  readonly allowedModels: readonly string[] | null;
  /** What the key's requests get for a name or a pattern: the name of a model, route or alias. Absent for none. */
  readonly modelAliases?: ReadonlyMap<string, string>;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | null;
  /** Effective limits: its own, else the defaults, within its plan's. Counted for this key alone. */
  readonly limits: RateLimits;
  /** Shared by all keys of the account; absent or null for none. */
  readonly accountLimits?: RateLimits | null;
  /** In addition to `limits`; absent or null for none. */
  readonly partLimits?: PartLimits | null;
  /** Whether content of its completions is sent to live subscribers of the account. */
  readonly liveContent: boolean;
  /** Which content of its requests is stored; nothing if absent. */
  readonly content?: ContentSettings;
  /** Lifetime of cached responses in milliseconds; null where the key does not set it. */
  readonly cacheMs: number | null;
  /** Moderation of its chats, in addition to that of routes; null for none. */
  readonly moderation: ModerationSettings | null;
  /** The account's time zone, an IANA name; UTC if absent. */
  readonly timeZone?: string;
  /** Whether its account has zero retention; no if absent. */
  readonly zeroRetention?: boolean;
  /** The account's spending restriction; absent or null for none. */
  readonly restriction?: SpendingRestriction | null;
  /** The account's plan; `limits` are within it already. */
  readonly plan: PlanTerms;
  /** Budgets of the key, its member and its account; the shared empty list for none. */
  readonly budgets: readonly SpendBound[];
}

/** Who requests a model by name. */
export type Requester = Pick<KeyRecord, 'accountId' | 'modelAliases'>;

/** Whether the revocation of a key or token ends this key or token. */
export function isRevokedBy(
  { id, revokedWithIds }: Pick<KeyRecord, 'id' | 'revokedWithIds'>,
  revokedId: string,
): boolean {
  return id === revokedId || revokedWithIds?.includes(revokedId) === true;
}

/**
 * Finds a key by its secret. A known key is returned synchronously, so that the data plane does not wait for the
 * database; only the first use of a key returns a promise.
 * @throws SluiceError invalid_api_key | expired_api_key | database_unavailable (also as the promise's rejection)
 */
export interface KeyDirectory {
  /** @param connection the client's connection: the same secret on the same connection is found faster */
  find(secret: string, connection?: object): KeyRecord | Promise<KeyRecord>;
}
