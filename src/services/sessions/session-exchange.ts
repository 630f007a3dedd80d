import { hash } from 'node:crypto';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { setBounded } from '../bounded-map.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import type { SessionsService } from './sessions.service.ts';

/** How long concurrent requests of a page may still use the previous token. */
const CONCURRENT_WINDOW_MS = 10_000;
const MAX_CACHED = 1_000;

export interface ExchangedSession {
  readonly token: string;
  readonly expiresAt: Date;
}

/**
 * Replaces the tokens of sessions that started before this server had an https address, once: the previous token was sent by
 * plain HTTP, or could be set by another host of the domain, and is invalid afterwards.
 */
export class SessionExchange {
  readonly #database: Database;
  readonly #sessions: SessionsService;
  readonly #clock: Clock;
  readonly #recent = new Map<
    string,
    { readonly exchanged: Promise<ExchangedSession | null>; readonly until: number }
  >();

  constructor(database: Database, sessions: SessionsService, clock: Clock = systemClock) {
    this.#database = database;
    this.#sessions = sessions;
    this.#clock = clock;
  }

  /** @returns null if there is no such session, or if it has a newer token. @throws SluiceError database_unavailable */
  exchange(token: string): Promise<ExchangedSession | null> {
    const key = hash('sha256', token, 'base64url');
    const known = this.#recent.get(key);
    if (known && known.until > this.#clock.monotonic()) return known.exchanged;
    const exchanged = this.#exchange(token);
    setBounded(this.#recent, MAX_CACHED, key, { exchanged, until: this.#clock.monotonic() + CONCURRENT_WINDOW_MS });
    exchanged.catch(() => this.#recent.delete(key));
    return exchanged;
  }

  async #exchange(before: string): Promise<ExchangedSession | null> {
    const identity = this.#sessions.isHostOnly(before) ? null : await this.#sessions.authenticate(before);
    if (identity === null) return null;
    const token = this.#sessions.newToken();
    const rows = await mapDatabaseErrors(() =>
      this.#database.query<{ id: string }>(
        'update sessions set token_hash = $1 where id = $2 and token_hash = $3 and revoked_at is null returning id',
        [hash('sha256', token, 'buffer'), identity.sessionId, hash('sha256', before, 'buffer')],
      ),
    );
    this.#sessions.forget(identity.userId);
    return rows.length === 0 ? null : { token, expiresAt: new Date(identity.expiresAt) };
  }
}
