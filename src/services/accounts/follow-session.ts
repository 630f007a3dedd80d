import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import type { SessionIdentity, SessionsService } from './sessions.service.ts';

/** Node's timers reach no further than 24 days. */
const LONGEST_TIMER_MS = 86_400_000;

/**
 * Tells once when a session ends: it is signed out, ended from elsewhere, or as old as it may become.
 * @returns stops following
 */
export function followSession(
  sessions: Pick<SessionsService, 'onEnded'>,
  { sessionId, expiresAt }: Pick<SessionIdentity, 'sessionId' | 'expiresAt'>,
  onEnd: () => void,
  clock: Clock = systemClock,
): () => void {
  let timer: Timer | undefined;
  const stop = (): void => {
    timer?.cancel();
    stopEnded();
  };
  const end = (): void => {
    stop();
    onEnd();
  };
  const wait = (): void => {
    const left = expiresAt - clock.now();
    if (left <= 0) end();
    else timer = clock.setTimeout(wait, Math.min(left, LONGEST_TIMER_MS)).unref();
  };
  const stopEnded = sessions.onEnded((ended) => (ended === sessionId ? end() : undefined));
  wait();
  return stop;
}
