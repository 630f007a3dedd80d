import { hash, randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../../database/database.ts';
import { Membership, Session, type MembershipRole, type User } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { orUnavailable } from '../database-availability.ts';

const DAY_MS = 86_400_000;
const LONGEST_MS = 30 * DAY_MS;
const IDLE_MS = 7 * DAY_MS;
const SEEN_EVERY_MS = 5 * 60_000;
/** How long a session ended in another process may go on here. */
const CACHED_MS = 1_000;
const MOST_CACHED = 10_000;

export interface SessionOrigin {
  readonly address: string | null;
  readonly userAgent: string | null;
}

export interface SessionIdentity {
  readonly sessionId: string;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly memberships: readonly {
    readonly accountId: string;
    readonly accountName: string;
    readonly role: MembershipRole;
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
    return { token, expiresAt, sessionId: session.id };
  }

  /** Who holds a token; null where it is none, has expired, or was ended. @throws SluiceError database_unavailable */
  async authenticate(token: string): Promise<SessionIdentity | null> {
    if (token.length > 100) return null;
    const key = hash('sha256', token, 'base64url');
    const cached = this.#cache.get(key);
    if (cached && cached.until > Date.now()) return cached.identity;
    const identity = await this.#load(token);
    if (this.#cache.size >= MOST_CACHED) this.#cache.clear();
    this.#cache.set(key, { identity, until: Date.now() + CACHED_MS });
    return identity;
  }

  /** Ends a session; a token that is none does nothing. */
  end(token: string): Promise<void> {
    return orUnavailable(async () => {
      const em = this.#database.em();
      const session = await em.findOne(Session, { tokenHash: hashOf(token), revokedAt: null });
      this.#cache.delete(hash('sha256', token, 'base64url'));
      if (session === null) return;
      session.revokedAt = new Date();
      await em.flush();
      for (const listener of this.#endListeners) listener(session.id);
    });
  }

  /** @returns stops telling */
  onEnded(listener: (sessionId: string) => void): () => void {
    this.#endListeners.add(listener);
    return () => this.#endListeners.delete(listener);
  }

  async #load(token: string): Promise<SessionIdentity | null> {
    try {
      const em = this.#database.em();
      const now = Date.now();
      const live = {
        tokenHash: hashOf(token),
        revokedAt: null,
        expiresAt: { $gt: new Date(now) },
        lastSeenAt: { $gt: new Date(now - IDLE_MS) },
      };
      const session = await em.findOne(Session, live, { populate: ['user'] });
      if (session === null) return null;
      const memberships = await em.find(
        Membership,
        { user: session.user },
        { populate: ['account'], orderBy: { createdAt: 'asc' } },
      );
      if (now - session.lastSeenAt.getTime() > SEEN_EVERY_MS) {
        session.lastSeenAt = new Date(now);
        await em.flush();
      }
      const { user } = session;
      return {
        sessionId: session.id,
        userId: user.id,
        email: user.email,
        name: user.name,
        memberships: memberships.map(({ account, role }) => ({
          accountId: account.id,
          accountName: account.name,
          role,
        })),
      };
    } catch (cause) {
      throw new SluiceError('database_unavailable', { retryAfterMs: 1_000, cause });
    }
  }
}

function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
