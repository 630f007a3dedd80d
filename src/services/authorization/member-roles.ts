import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { Membership, type MembershipRole } from '../../database/entities/index.ts';
import { setBounded } from '../bounded-map.ts';
import { mapDatabaseErrors } from '../database-availability.ts';

/** The maximum delay until a role change by another process takes effect here. */
const CACHE_TTL_MS = 1_000;
const MAX_CACHED = 10_000;

/** Roles of the members that keys act for, read with each request of a key. */
export class MemberRoles {
  readonly #database: Database;
  readonly #clock: Clock;
  /** `until` is of the clock's `monotonic`. */
  readonly #cache = new Map<string, { readonly role: Promise<MembershipRole | null>; readonly until: number }>();

  constructor(database: Database, clock: Clock = systemClock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Null if the user is not a member. @throws SluiceError database_unavailable */
  roleOf(accountId: string, userId: string): Promise<MembershipRole | null> {
    const id = `${accountId} ${userId}`;
    const cached = this.#cache.get(id);
    if (cached && cached.until > this.#clock.monotonic()) return cached.role;
    const role = this.#read(accountId, userId);
    // Failures are not cached.
    role.catch(() => this.#cache.delete(id));
    setBounded(this.#cache, MAX_CACHED, id, { role, until: this.#clock.monotonic() + CACHE_TTL_MS });
    return role;
  }

  /** Invalidates a cached role after a membership change. */
  forget(accountId: string, userId: string): void {
    this.#cache.delete(`${accountId} ${userId}`);
  }

  #read(accountId: string, userId: string): Promise<MembershipRole | null> {
    return mapDatabaseErrors(async () => {
      const membership = await this.#database.em().findOne(Membership, { account: accountId, user: userId });
      return membership?.role ?? null;
    });
  }
}
