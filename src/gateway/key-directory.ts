import type { SpendBound } from './limits/budget.ts';
import type { GuardSettings } from './moderation-guard/guard-settings.ts';

/** What a key may reach. `inference` is `/v1`; `read` and `manage` open GraphQL. */
export type Scope = 'inference' | 'read' | 'manage';

/** By what a key was found: its secret, the one before its last rotation, a token, or the session of a member. */
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

/** What bounds a key's requests for some models or capabilities, each by itself. */
export interface PartLimits {
  /** By canonical name (`provider/model`), bare one, or the name of a route. */
  readonly models: ReadonlyMap<string, RateLimits>;
  /** By the capabilities' names. */
  readonly capabilities: ReadonlyMap<string, RateLimits>;
}

/** What an account's plan says of its requests. One shared frozen object per plan. */
export interface PlanTerms {
  /** `free`, `pro` ... */
  readonly id: string;
  /** What its keys may call, by the capabilities' names; null for all. */
  readonly capabilities: ReadonlySet<string> | null;
  /** Canonical names (`provider/model`) or bare ones; null for all. */
  readonly models: readonly string[] | null;
  /** What is added to each cost, in parts per million; 0 for nothing. */
  readonly markupPpm: number;
  /** What becomes of spending beyond the allowance and the balance. */
  readonly overage: 'refuse' | 'bill';
}

/** What an account needs before anything is spent for it on the operator's credentials: a verified address, or the operator's approval. */
export type SpendingRestriction = 'verification' | 'approval';

/** What the data plane knows of a key. One shared frozen object per key, replaced whole when the key changes. */
export interface KeyRecord {
  readonly id: string;
  readonly accountId: string;
  /** The user that the key stands for, where it stands for one. */
  readonly memberId: string | null;
  /** Its secret where absent. What a session reaches of stored objects is its member's to reach. */
  readonly credential?: Credential;
  /** Which secret it was found by, or a token was made by; see secret-id.ts. */
  readonly secretId?: string;
  /** Of a token: its own id. */
  readonly tokenId?: string;
  /** Of a token: itself, and another key that made it. It ends when one of them is revoked, as it does with its own key. */
  readonly endsWithIds?: readonly string[];
  /** Of a token that somebody else made: the user that its key stands for, who bounds what it may do. It spends as `memberId`. */
  readonly keyMemberId?: string | null;
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** What it acts as in the control plane; the data plane does without. */
  readonly role?: KeyRole | null;
  /** Canonical names (`provider/model`) or bare ones; `null` allows all. */
  readonly allowedModels: readonly string[] | null;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | null;
  /** Resolved: what it does not limit itself, the defaults do, within its plan's. Counted for this key alone. */
  readonly limits: RateLimits;
  /** Of all keys of its account together; absent or null where nothing bounds them. */
  readonly accountLimits?: RateLimits | null;
  /** Beside `limits`; absent or null where it has none. */
  readonly partLimits?: PartLimits | null;
  /** Whether deltas of its completions are shown to live subscribers of its account. */
  readonly liveContent: boolean;
  /** How long answers to its requests are kept for requests alike, in milliseconds; null where it does not say. */
  readonly cacheMs: number | null;
  /** What its chats are moderated by, beside what their routes say; null for nothing. */
  readonly moderation: GuardSettings | null;
  /** Its account's, an IANA name; UTC where absent. */
  readonly timeZone?: string;
  /** Whether its account keeps no content once a request is answered; absent for no. */
  readonly zeroRetention?: boolean;
  /** What its account still needs; absent or null for nothing. */
  readonly restriction?: SpendingRestriction | null;
  /** Its account's; `limits` are within it already. */
  readonly plan: PlanTerms;
  /** What it, its member and its account may spend; the shared empty list where nothing bounds it. */
  readonly budgets: readonly SpendBound[];
}

/** Whether what was found ends with a key or token that was revoked. */
export function endsWith({ id, endsWithIds }: Pick<KeyRecord, 'id' | 'endsWithIds'>, revokedId: string): boolean {
  return id === revokedId || endsWithIds?.includes(revokedId) === true;
}

/**
 * Finds a key by its secret. A hit answers at once, so that the data plane waits for no database;
 * only the first use of a key returns a promise.
 * @throws SluiceError invalid_api_key | expired_api_key | database_unavailable (also as the promise's rejection)
 */
export interface KeyDirectory {
  /** @param connection by which the secret came: the same one by the same connection is found faster */
  find(secret: string, connection?: object): KeyRecord | Promise<KeyRecord>;
}
