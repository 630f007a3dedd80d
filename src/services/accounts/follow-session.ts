import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import type { SessionIdentity, SessionsService } from './sessions.service.ts';

/** What other connections did with it, and what is configured, is seen that often at least. */
const POLL_INTERVAL_MS = 3_600_000;
const RETRY_MS = 1_000;

/**
 * Tells once when a session ends: it is signed out, ended from elsewhere, used no more, or as old as it may become. Following it is
 * no use of it.
 * @returns stops following
 */
export function followSession(
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
      // A database that is away says nothing of the session.
      wait(clock.now() + RETRY_MS);
    }
  };
  const stopEnded = sessions.onEnded((ended) => (ended === sessionId ? end() : undefined));
  wait(Math.min(expiresAt, idleAt));
  return stop;
}
