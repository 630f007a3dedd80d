import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { SluiceError } from '../../errors/index.ts';

interface ErrorLog {
  error(fields: object, message: string): void;
}

interface Logged {
  at: number;
  /** Since then. */
  requests: number;
}

const INTERVAL_MS = 10_000;
/** Requests fail by the thousand: one line says so. */
const lines = new WeakMap<ErrorLog, Logged>();

/** Logs that this server is out of a resource, and what to do: at most once in ten seconds. */
export function logExhausted(log: ErrorLog, { message, cause }: SluiceError, clock: Clock = systemClock): void {
  const now = clock.monotonic();
  const logged = lines.get(log);
  if (logged !== undefined && now - logged.at < INTERVAL_MS) {
    logged.requests++;
    return;
  }
  lines.set(log, { at: now, requests: 0 });
  log.error(
    {
      code: 'resources_exhausted',
      reason: reasonOf(cause) ?? message,
      requestsSinceLastLine: (logged?.requests ?? 0) + 1,
    },
    'requests are rejected with 503, because this server is out of a resource. If it is file descriptors, raise their limit: `ulimit -n 65536`, or `LimitNOFILE=65536` of the systemd unit. See docs/operations/connections.md',
  );
}

function reasonOf(cause: unknown): string | null {
  return cause instanceof Error ? cause.message : null;
}
