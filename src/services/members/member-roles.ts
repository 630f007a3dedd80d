import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { Membership, type MembershipRole } from '../../database/entities/index.ts';
import { remember } from '../bounded-map.ts';
import { mapDatabaseErrors } from '../database-availability.ts';

/** How long a role that another process changed may go on here. */
const CACHED_MS = 1_000;
const MAX_CACHED = 10_000;

/** What users are in accounts, for what acts for them: asked with each request of a key. */
export class MemberRoles {
  readonly #database: Database;
  readonly #clock: Clock;
  /** `until` is of the clock's `monotonic`. */
  readonly #cache = new Map<string, { readonly role: Promise<MembershipRole | null>; readonly until: number }>();

  constructor(database: Database, clock: Clock = systemClock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Null for who is no member. @throws SluiceError database_unavailable */
  roleOf(accountId: string, userId: string): Promise<MembershipRole | null> {
    const id = `${accountId} ${userId}`;
    const cached = this.#cache.get(id);
    if (cached && cached.until > this.#clock.monotonic()) return cached.role;
    const role = this.#read(accountId, userId);
    // What failed is asked again.
    role.catch(() => this.#cache.delete(id));
    remember(this.#cache, MAX_CACHED, id, { role, until: this.#clock.monotonic() + CACHED_MS });
    return role;
  }

  /** A change of the user's membership: what is asked from now on is read anew. */
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
