const HOUR_MS = 3_600_000;

/** How long people stay signed in. */
export interface SessionLimits {
  /** Without a request of theirs. */
  readonly idleMs: number;
  /** From the sign-in on, whatever they do. */
  readonly maxMs: number;
}

export const DEFAULT_SESSION_LIMITS: SessionLimits = { idleMs: 7 * 24 * HOUR_MS, maxMs: 30 * 24 * HOUR_MS };

/** As `sluice.yaml` has them. */
export function readSessionLimits(given: {
  readonly idle_hours?: number | undefined;
  readonly max_hours?: number | undefined;
}): SessionLimits {
  const { idle_hours: idle, max_hours: max } = given;
  return {
    idleMs: idle === undefined ? DEFAULT_SESSION_LIMITS.idleMs : idle * HOUR_MS,
    maxMs: max === undefined ? DEFAULT_SESSION_LIMITS.maxMs : max * HOUR_MS,
  };
}
