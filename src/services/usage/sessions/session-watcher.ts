import { delay, systemClock, type Clock } from '../../../calendar/clock.ts';
import { SluiceError } from '../../../errors/index.ts';
import type { RequestSession, RequestSessions } from './request-sessions.ts';

/** Sessions are read again after this without a change: a message of another process may have been lost. */
const RECHECK_MS = 15_000;
/** Delay before they are read again while the database is unavailable. */
const RETRY_MS = 2_000;
/** Of an account, that are read again where changes may have been lost: those with a request in this time. */
const RECENT_MS = 60_000;
const MAX_RECENT = 100;
/** Of which a subscriber's last state is known, so that it is not sent again. */
const MAX_SHOWN = 1_000;

/** Which sessions change, on any instance. */
export interface SessionChanges {
  /** @returns what to read next: the IDs of sessions, null for all */
  follow(accountId: string, signal: AbortSignal): { next(withinMs: number): Promise<ReadonlySet<string> | null> };
}

/** Follows sessions. A subscriber that reads slowly misses states, never the last one. */
export class SessionWatcher {
  readonly #sessions: Pick<RequestSessions, 'page' | 'byIds'>;
  readonly #changes: SessionChanges;
  readonly #clock: Clock;

  constructor(sessions: Pick<RequestSessions, 'page' | 'byIds'>, changes: SessionChanges, clock: Clock = systemClock) {
    this.#sessions = sessions;
    this.#changes = changes;
    this.#clock = clock;
  }

  /**
   * A session, then each change of it; with null the account's sessions of the last minute, then each change of any. It ends
   * with `signal`: a session has no end.
   */
  async *watch(accountId: string, id: string | null, signal: AbortSignal): AsyncGenerator<RequestSession> {
    const changes = this.#changes.follow(accountId, signal);
    const shown = new Map<string, string>();
    let changed: ReadonlySet<string> | null = null;
    while (!signal.aborted) {
      const sessions = await this.#read(accountId, id, changed);
      if (sessions === null) {
        await delay(this.#clock, RETRY_MS, signal).catch(() => undefined);
        changed = null;
        continue;
      }
      for (const session of sessions) if (isNews(shown, session)) yield session;
      changed = await changes.next(RECHECK_MS);
    }
  }

  /** @returns null while the database is unavailable */
  async #read(
    accountId: string,
    id: string | null,
    changed: ReadonlySet<string> | null,
  ): Promise<readonly RequestSession[] | null> {
    try {
      if (id !== null) return changed === null || changed.has(id) ? await this.#sessions.byIds(accountId, [id]) : [];
      if (changed !== null) return await this.#sessions.byIds(accountId, [...changed]);
      const from = new Date(this.#clock.now() - RECENT_MS);
      const { rows } = await this.#sessions.page(accountId, { from }, MAX_RECENT, null);
      return rows.map(({ session }) => session).toReversed();
    } catch (error) {
      if (error instanceof SluiceError && error.code === 'database_unavailable') return null;
      throw error;
    }
  }
}

/** Whether a session differs from what the subscriber knows. A settled request never changes: their number suffices. */
function isNews(shown: Map<string, string>, { sessionId, requests, costNano }: RequestSession): boolean {
  const state = `${requests} ${costNano}`;
  if (shown.get(sessionId) === state) return false;
  shown.delete(sessionId);
  shown.set(sessionId, state);
  const [oldest] = shown.size > MAX_SHOWN ? shown.keys() : [];
  if (oldest !== undefined) shown.delete(oldest);
  return true;
}
