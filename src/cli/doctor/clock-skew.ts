import { fault, found, type Finding } from './finding.ts';

/** Limits, sessions and reservations last seconds; what processes share of them has the time of each process. */
const MAX_SKEW_MS = 1_000;

export interface ReadTimes {
  /** The server's time, in ms since 1970. */
  readonly theirs: number;
  /** When it was asked, and when it had answered. */
  readonly sent: number;
  readonly received: number;
}

/** Compares the clock of a server with that of this machine. @param subject the server's name */
export function clockSkew(subject: string, { theirs, sent, received }: ReadTimes): Finding {
  // It read its clock at some moment between the two.
  const skew = Math.round(theirs > received ? theirs - received : Math.min(0, theirs - sent));
  if (Math.abs(skew) <= MAX_SKEW_MS)
    return found('Clock', 'ok', `that of ${subject} differs by at most ${Math.max(1, Math.abs(skew))} ms`);
  return fault(
    'Clock',
    'warning',
    `that of ${subject} is ${Math.abs(skew)} ms ${skew > 0 ? 'ahead of' : 'behind'} that of this machine`,
    'Synchronise the clocks of all machines by NTP: limits, sessions and expiry dates are compared with them.',
  );
}
