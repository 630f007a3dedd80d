/** `unused` is what the configuration does not have. */
export type FindingState = 'ok' | 'warning' | 'failed' | 'unused';

/** What a check found. */
export interface Finding {
  readonly subject: string;
  readonly state: FindingState;
  readonly text: string;
  /** What to do; null where there is nothing to do. */
  readonly advice: string | null;
}

export function found(subject: string, state: 'ok' | 'unused', text: string): Finding {
  return { subject, state, text, advice: null };
}

export function fault(subject: string, state: 'warning' | 'failed', text: string, advice: string): Finding {
  return { subject, state, text, advice };
}
