import { hash, randomBytes } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { actAs, userActor } from '../../database/audit/audit-context.ts';
import type { Database } from '../../database/database.ts';
import { Session, type MembershipRole, type User } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { setBounded } from '../bounded-map.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { isUuid } from '../uuid.ts';
import { DEFAULT_SESSION_LIMITS, type SessionLimits } from './session-limits.ts';

/** How precisely the last use of a session is recorded, if the idle limit is long. */
const LAST_SEEN_INTERVAL_MS = 5 * 60_000;
/** The maximum delay until a session revoked by another process is rejected here. */
const CACHE_TTL_MS = 1_000;
const MAX_CACHED = 10_000;
const MAX_LISTED = 100;
/** The prefix of tokens that only an https cookie for this host ever held. Others have 43 characters. */
const HOST_ONLY = 'h';
const HOST_ONLY_LENGTH = 44;

/** One row per membership, or one without membership columns. Times in milliseconds since the epoch. */
interface SessionRow {
  readonly id: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly last_seen_at: number;
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly account_id: string | null;
  readonly account_name: string;
  readonly role: MembershipRole;
  readonly is_operator: boolean;
  readonly erased_after: number | null;
}

const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;
/** One statement, because every request of a page starts with it. */
const sessionWithMemberships = `
select session.id, ${ms('session.created_at')} as created_at, ${ms('session.expires_at')} as expires_at, ${ms('session.last_seen_at')} as last_seen_at, user_id, email, users.name,
  belonging.account_id, belonging.account_name, belonging.role, belonging.is_operator, belonging.erased_after
from sessions as session join users on users.id = user_id
left join lateral (
  select account_id, accounts.name as account_name, role, is_operator, ${ms('accounts.erased_after')} as erased_after, memberships.created_at
  from memberships join accounts on accounts.id = account_id
  where memberships.user_id = session.user_id and accounts.erased_at is null
) as belonging on true
where token_hash = $1 and session.revoked_at is null and session.expires_at > $2 and session.last_seen_at > $3
  and session.created_at > $4
order by belonging.created_at`;

export interface SessionOrigin {
  readonly address: string | null;
  readonly userAgent: string | null;
}

export interface SessionIdentity {
  readonly sessionId: string;
  /** Regardless of use. In milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Unless it is used again. In milliseconds since the epoch. */
  readonly idleAt: number;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly memberships: readonly {
    readonly accountId: string;
    readonly accountName: string;
    readonly role: MembershipRole;
    /** Whether it is the operator's account; absent for no. */
    readonly isOperator?: boolean;
    /** If it was deleted: when it is erased. */
    readonly erasedAfter: Date | null;
  }[];
}

export interface NewSession {
  /** 256 random bits; only its hash is stored. */
  readonly token: string;
  readonly expiresAt: Date;
  readonly sessionId: string;
}

/** Sessions of signed-in users. */
export class SessionsService {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #isHttps: boolean;
  readonly #limits: () => SessionLimits;
  /** `until` is of the clock's `monotonic`. */
  readonly #cache = new Map<string, { readonly identity: SessionIdentity | null; readonly until: number }>();
  readonly #endListeners = new Set<(sessionId: string) => void>();
  readonly #membershipListeners = new Set<(userId: string, accountId: string) => void>();
  /** Counts changes of users and memberships: rows read before one may be outdated. */
  #generation = 0;
  /** Identities that are being read, and the sessions that ended meanwhile: what was read of these is outdated. */
  #loading = 0;
  readonly #endedWhileLoading = new Set<string>();

  /**
   * @param isHttps whether this server is reached by https only
   * @param limits as currently configured
   */
  constructor(
    database: Database,
    clock: Clock = systemClock,
    isHttps = false,
    limits: () => SessionLimits = () => DEFAULT_SESSION_LIMITS,
  ) {
    this.#database = database;
    this.#isHttps = isHttps;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Adds a session to the caller's unit of work. */
  build(em: EntityManager, user: User, origin: SessionOrigin): NewSession {
    const token = this.newToken();
    const now = new Date(this.#clock.now());
    const expiresAt = new Date(now.getTime() + this.#limits().maxMs);
    const session = em.create(Session, {
      user,
      tokenHash: hashOf(token),
      createdAt: now,
      lastSeenAt: now,
      expiresAt,
      address: origin.address,
      userAgent: origin.userAgent?.slice(0, 500) ?? null,
    });
    em.persist(session);
    // The actor is known from here on.
    actAs(userActor(user.id, user.email));
    return { token, expiresAt, sessionId: session.id };
  }

  /** 256 random bits, for a session's row, which stores only their hash. */
  newToken(): string {
    return `${this.#isHttps ? HOST_ONLY : ''}${randomBytes(32).toString('base64url')}`;
  }

  /** Whether a token was issued for a cookie that no other host can set: in any other cookie it was placed by someone else. */
  isHostOnly(token: string): boolean {
    return token.length === HOST_ONLY_LENGTH && token.startsWith(HOST_ONLY);
  }

  /** The identity of a token; null if it is unknown, expired or revoked. @throws SluiceError database_unavailable */
  async authenticate(token: string): Promise<SessionIdentity | null> {
    if (token.length > 100) return null;
    const key = hash('sha256', token, 'base64url');
    const cached = this.#cache.get(key);
    if (cached && cached.until > this.#clock.monotonic()) return cached.identity;
    const generation = this.#generation;
    this.#loading++;
    const identity = await this.#load(token).finally(() => this.#loading--);
    const hasEnded = identity !== null && this.#endedWhileLoading.has(identity.sessionId);
    if (this.#loading === 0) this.#endedWhileLoading.clear();
    if (hasEnded || generation !== this.#generation) return this.authenticate(token);
    setBounded(this.#cache, MAX_CACHED, key, { identity, until: this.#clock.monotonic() + CACHE_TTL_MS });
    return identity;
  }

  /** Revokes a session; no effect for an unknown token. */
  end(token: string): Promise<void> {
    return mapDatabaseErrors(async () => {
      const em = this.#database.em();
      const session = await em.findOne(Session, { tokenHash: hashOf(token), revokedAt: null }, { populate: ['user'] });
      this.#cache.delete(hash('sha256', token, 'base64url'));
      if (session === null) return;
      actAs(userActor(session.user.id, session.user.email));
      session.revokedAt = new Date(this.#clock.now());
      await em.flush();
      this.ended(session.id);
    });
  }

  /** A user's active sessions, most recently used first. */
  list(userId: string): Promise<Session[]> {
    return mapDatabaseErrors(() =>
      this.#database
        .em()
        .find(
          Session,
          { user: userId, ...liveAt(this.#clock.now(), this.#limits()) },
          { orderBy: { lastSeenAt: 'desc' }, limit: MAX_LISTED },
        ),
    );
  }

  /**
   * When a session ends if it is not used again, in milliseconds since the epoch; null if it has ended.
   * @throws SluiceError database_unavailable
   */
  endOf(sessionId: string): Promise<number | null> {
    return mapDatabaseErrors(async () => {
      const session = await this.#database.em().findOne(Session, { id: sessionId, revokedAt: null });
      if (session === null) return null;
      const { idleMs, maxMs } = this.#limits();
      const { createdAt, expiresAt, lastSeenAt } = session;
      const end = Math.min(expiresAt.getTime(), createdAt.getTime() + maxMs, lastSeenAt.getTime() + idleMs);
      return end > this.#clock.now() ? end : null;
    });
  }

  /** Revokes one of a user's sessions. @throws SluiceError not_found */
  async revoke(userId: string, sessionId: string): Promise<void> {
    const ended = isUuid(sessionId) ? await this.#revoke({ user: userId, id: sessionId }) : 0;
    if (ended === 0) throw new SluiceError('not_found', { values: { what: 'session' } });
  }

  /**
   * Revokes all of a user's sessions.
   * @param exceptId the session to retain; null for none
   * @returns how many were revoked
   */
  revokeAll(userId: string, exceptId: string | null): Promise<number> {
    return this.#revoke({ user: userId, ...(exceptId !== null && { id: { $ne: exceptId } }) });
  }

  /** Removes a user's sessions from the cache after a change. */
  forget(userId: string): void {
    this.#generation++;
    for (const [key, { identity }] of this.#cache) if (identity?.userId === userId) this.#cache.delete(key);
  }

  /** Called when a session ended: in this process, or as read from the database. */
  ended(sessionId: string): void {
    if (this.#loading > 0) this.#endedWhileLoading.add(sessionId);
    for (const [key, { identity }] of this.#cache) if (identity?.sessionId === sessionId) this.#cache.delete(key);
    for (const listener of this.#endListeners) listener(sessionId);
  }

  #revoke(which: FilterQuery<Session>): Promise<number> {
    return mapDatabaseErrors(async () => {
      const revoked = await this.#database.em().transactional(async (em) => {
        const lock = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
        const sessions = await em.find(Session, { $and: [which, { revokedAt: null }] }, lock);
        await em.populate(sessions, ['user']);
        for (const session of sessions) session.revokedAt = new Date(this.#clock.now());
        return sessions.map(({ id }) => id);
      });
      for (const id of revoked) this.ended(id);
      return revoked.length;
    });
  }

  /** @returns a function that removes the listener */
  onEnded(listener: (sessionId: string) => void): () => void {
    this.#endListeners.add(listener);
    return () => this.#endListeners.delete(listener);
  }

  /** Called when a user's memberships changed: they are read again with the next request. */
  membershipChanged(userId: string, accountId: string): void {
    this.forget(userId);
    for (const listener of this.#membershipListeners) listener(userId, accountId);
  }

  /** @returns a function that removes the listener */
  onMembershipChanged(listener: (userId: string, accountId: string) => void): () => void {
    this.#membershipListeners.add(listener);
    return () => this.#membershipListeners.delete(listener);
  }

  async #load(token: string): Promise<SessionIdentity | null> {
    try {
      const now = this.#clock.now();
      const { idleMs, maxMs } = this.#limits();
      const rows = await this.#database.query<SessionRow>(sessionWithMemberships, [
        hashOf(token),
        new Date(now),
        new Date(now - idleMs),
        new Date(now - maxMs),
      ]);
      const [session] = rows;
      if (session === undefined) return null;
      const { id: sessionId, user_id: userId, email, name } = session;
      const expiresAt = Math.min(session.expires_at, session.created_at + maxMs);
      const isSeenAgain = now - session.last_seen_at > Math.min(LAST_SEEN_INTERVAL_MS, idleMs / 10);
      if (isSeenAgain)
        await this.#database.em().nativeUpdate(Session, { id: sessionId }, { lastSeenAt: new Date(now) });
      const memberships = rows.flatMap(
        ({ account_id: accountId, account_name: accountName, role, is_operator: isOperator, erased_after: erased }) =>
          accountId === null
            ? []
            : [{ accountId, accountName, role, isOperator, erasedAfter: erased === null ? null : new Date(erased) }],
      );
      const idleAt = (isSeenAgain ? now : session.last_seen_at) + idleMs;
      return { sessionId, expiresAt, idleAt, userId, email, name, memberships };
    } catch (cause) {
      throw new SluiceError('database_unavailable', { retryAfterMs: 1_000, cause });
    }
  }
}

function liveAt(now: number, { idleMs, maxMs }: SessionLimits) {
  const after = (at: number): { $gt: Date } => ({ $gt: new Date(at) });
  return { revokedAt: null, expiresAt: after(now), lastSeenAt: after(now - idleMs), createdAt: after(now - maxMs) };
}

function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
