import { hash, randomBytes } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { actAs, userActor } from '../../database/audit/acting.ts';
import type { Database } from '../../database/database.ts';
import { Membership, Session, type MembershipRole, type User } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { orUnavailable } from '../database-availability.ts';
import { isUuid } from '../uuid.ts';

const DAY_MS = 86_400_000;
const LONGEST_MS = 30 * DAY_MS;
const IDLE_MS = 7 * DAY_MS;
const SEEN_EVERY_MS = 5 * 60_000;
/** How long a session ended in another process may go on here. */
const CACHED_MS = 1_000;
const MOST_CACHED = 10_000;
const MOST_LISTED = 100;

export interface SessionOrigin {
  readonly address: string | null;
  readonly userAgent: string | null;
}

export interface SessionIdentity {
  readonly sessionId: string;
  /** Whatever is done with it until then. In milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly memberships: readonly {
    readonly accountId: string;
    readonly accountName: string;
    readonly role: MembershipRole;
    /** Where it was deleted: when it is erased. */
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
  readonly #cache = new Map<string, { readonly identity: SessionIdentity | null; readonly until: number }>();
  readonly #endListeners = new Set<(sessionId: string) => void>();
  readonly #membershipListeners = new Set<(userId: string, accountId: string) => void>();
  /** Counts changes of users and memberships: what was read before one may be out of date. */
  #generation = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds a session to a unit of work of the caller's. */
  build(em: EntityManager, user: User, origin: SessionOrigin): NewSession {
    const token = randomBytes(32).toString('base64url');
    const now = new Date();
    const expiresAt = new Date(now.getTime() + LONGEST_MS);
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
    // From here on it is known who acts.
    actAs(userActor(user.id, user.email));
    return { token, expiresAt, sessionId: session.id };
  }

  /** Who holds a token; null where it is none, has expired, or was ended. @throws SluiceError database_unavailable */
  async authenticate(token: string): Promise<SessionIdentity | null> {
    if (token.length > 100) return null;
    const key = hash('sha256', token, 'base64url');
    const cached = this.#cache.get(key);
    if (cached && cached.until > Date.now()) return cached.identity;
    const generation = this.#generation;
    const identity = await this.#load(token);
    if (generation !== this.#generation) return this.authenticate(token);
    if (this.#cache.size >= MOST_CACHED) this.#cache.clear();
    this.#cache.set(key, { identity, until: Date.now() + CACHED_MS });
    return identity;
  }

  /** Ends a session; a token that is none does nothing. */
  end(token: string): Promise<void> {
    return orUnavailable(async () => {
      const em = this.#database.em();
      const session = await em.findOne(Session, { tokenHash: hashOf(token), revokedAt: null }, { populate: ['user'] });
      this.#cache.delete(hash('sha256', token, 'base64url'));
      if (session === null) return;
      actAs(userActor(session.user.id, session.user.email));
      session.revokedAt = new Date();
      await em.flush();
      for (const listener of this.#endListeners) listener(session.id);
    });
  }

  /** A user's sessions that go on, the last seen first. */
  list(userId: string): Promise<Session[]> {
    return orUnavailable(() =>
      this.#database
        .em()
        .find(
          Session,
          { user: userId, ...liveAt(Date.now()) },
          { orderBy: { lastSeenAt: 'desc' }, limit: MOST_LISTED },
        ),
    );
  }

  /** Ends one of a user's sessions. @throws SluiceError not_found */
  async revoke(userId: string, sessionId: string): Promise<void> {
    const ended = isUuid(sessionId) ? await this.#revoke({ user: userId, id: sessionId }) : 0;
    if (ended === 0) throw new SluiceError('not_found', { values: { what: 'session' } });
  }

  /**
   * Ends all of a user's sessions.
   * @param exceptId the one that goes on; null for none
   * @returns how many it ended
   */
  revokeAll(userId: string, exceptId: string | null): Promise<number> {
    return this.#revoke({ user: userId, ...(exceptId !== null && { id: { $ne: exceptId } }) });
  }

  /** What is known of a user's sessions is read anew: it changed. */
  forget(userId: string): void {
    this.#generation++;
    for (const [key, { identity }] of this.#cache) if (identity?.userId === userId) this.#cache.delete(key);
  }

  /** A session was ended: by this process, or as seen in the database. */
  ended(sessionId: string): void {
    for (const [key, { identity }] of this.#cache) if (identity?.sessionId === sessionId) this.#cache.delete(key);
    for (const listener of this.#endListeners) listener(sessionId);
  }

  #revoke(which: FilterQuery<Session>): Promise<number> {
    return orUnavailable(async () => {
      const revoked = await this.#database.em().transactional(async (em) => {
        const lock = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
        const sessions = await em.find(Session, { $and: [which, { revokedAt: null }] }, lock);
        await em.populate(sessions, ['user']);
        for (const session of sessions) session.revokedAt = new Date();
        return sessions.map(({ id }) => id);
      });
      for (const id of revoked) this.ended(id);
      return revoked.length;
    });
  }

  /** @returns stops telling */
  onEnded(listener: (sessionId: string) => void): () => void {
    this.#endListeners.add(listener);
    return () => this.#endListeners.delete(listener);
  }

  /** What a user is in their accounts has changed: it is read anew from the next request on. */
  membershipChanged(userId: string, accountId: string): void {
    this.forget(userId);
    for (const listener of this.#membershipListeners) listener(userId, accountId);
  }

  /** @returns stops telling */
  onMembershipChanged(listener: (userId: string, accountId: string) => void): () => void {
    this.#membershipListeners.add(listener);
    return () => this.#membershipListeners.delete(listener);
  }

  async #load(token: string): Promise<SessionIdentity | null> {
    try {
      const em = this.#database.em();
      const now = Date.now();
      const session = await em.findOne(Session, { tokenHash: hashOf(token), ...liveAt(now) }, { populate: ['user'] });
      if (session === null) return null;
      const memberships = await em.find(
        Membership,
        { user: session.user, account: { erasedAt: null } },
        { populate: ['account'], orderBy: { createdAt: 'asc' } },
      );
      if (now - session.lastSeenAt.getTime() > SEEN_EVERY_MS) {
        session.lastSeenAt = new Date(now);
        await em.flush();
      }
      const { user } = session;
      return {
        sessionId: session.id,
        expiresAt: session.expiresAt.getTime(),
        userId: user.id,
        email: user.email,
        name: user.name,
        memberships: memberships.map(({ account, role }) => ({
          accountId: account.id,
          accountName: account.name,
          role,
          erasedAfter: account.erasedAfter,
        })),
      };
    } catch (cause) {
      throw new SluiceError('database_unavailable', { retryAfterMs: 1_000, cause });
    }
  }
}

function liveAt(now: number) {
  return { revokedAt: null, expiresAt: { $gt: new Date(now) }, lastSeenAt: { $gt: new Date(now - IDLE_MS) } };
}

function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
