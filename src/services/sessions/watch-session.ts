import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import type { SessionIdentity, SessionsService } from './sessions.service.ts';

/** How often uses by other connections and changes of the configuration are noticed at least. */
const POLL_INTERVAL_MS = 3_600_000;
const RETRY_MS = 1_000;

/**
 * Calls back once when a session ends: by sign-out, revocation, inactivity or its maximum age. Does not count as use of the
 * session.
 * @returns a function that stops watching
 */
export function watchSession(
  sessions: Pick<SessionsService, 'onEnded' | 'endOf'>,
  { sessionId, expiresAt, idleAt }: Pick<SessionIdentity, 'sessionId' | 'expiresAt' | 'idleAt'>,
  onEnd: () => void,
  clock: Clock = systemClock,
): () => void {
  let timer: Timer | undefined;
  let stopped = false;
  const stop = (): void => {
    stopped = true;
    timer?.cancel();
    stopEnded();
  };
  const end = (): void => {
    if (stopped) return;
    stop();
    onEnd();
  };
  const wait = (until: number): void => {
    if (stopped) return;
    const left = Math.max(until - clock.now(), 0);
    timer = clock.setTimeout(() => void look(), Math.min(left, POLL_INTERVAL_MS)).unref();
  };
  const look = async (): Promise<void> => {
    if (clock.now() >= expiresAt) return end();
    try {
      const endsAt = await sessions.endOf(sessionId);
      if (endsAt === null) end();
      else wait(endsAt);
    } catch {
      // If the database is unavailable, nothing is known about the session.
      wait(clock.now() + RETRY_MS);
    }
  };
  const stopEnded = sessions.onEnded((ended) => (ended === sessionId ? end() : undefined));
  wait(Math.min(expiresAt, idleAt));
  return stop;
}
