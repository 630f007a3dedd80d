import type { AlertFilter, AlertKind, AlertMeasure } from '../../../database/entities/index.ts';

/** What a rule observes. */
export interface Observation {
  readonly kind: AlertKind;
  readonly threshold: number;
  readonly minimum: number;
  readonly windowMinutes: number;
  readonly percentile: number;
  readonly measure: AlertMeasure;
  readonly filter: AlertFilter;
}

/** The current value of a rule for one subject. */
export interface Reading {
  /** A provider, key or budget; empty for the entire account. */
  readonly subject: string;
  /** Its name, for people; empty for the entire account. */
  readonly label: string;
  /** In the unit of the kind; null if there is not enough data. */
  readonly value: number | null;
  /** A path of the dashboard that shows the data, from `/`. */
  readonly path: string;
}
