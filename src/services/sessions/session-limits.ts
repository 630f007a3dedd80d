const HOUR_MS = 3_600_000;

/** How long users stay signed in. */
export interface SessionLimits {
  /** Without a request. */
  readonly idleMs: number;
  /** After the sign-in, regardless of use. */
  readonly maxMs: number;
}

export const DEFAULT_SESSION_LIMITS: SessionLimits = { idleMs: 7 * 24 * HOUR_MS, maxMs: 30 * 24 * HOUR_MS };

/** Converts the settings of `sluice.yaml`. */
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
