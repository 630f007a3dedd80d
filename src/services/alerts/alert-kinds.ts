import type { AlertFilter, AlertKind } from '../../database/entities/index.ts';

export type AlertUnit = 'USD' | 'percent' | 'ms' | 'minutes' | 'factor' | 'days';

/** What distinguishes the kinds of rules. */
export interface KindTraits {
  /** Of the threshold and the value. */
  readonly unit: AlertUnit;
  /** Whether the alert fires at or above the threshold, or at or below it. */
  readonly firesWhen: 'above' | 'below';
  /** Whether it has a time window that the rule determines. */
  readonly hasWindow: boolean;
  /** The conditions that its filter may have. */
  readonly filters: readonly (keyof AlertFilter)[];
  /** The maximum threshold. */
  readonly maxThreshold: number;
}

const MAX_USD = 1_000_000_000;
const MAX_MS = 3_600_000;
const ofUsage = ['model', 'provider', 'apiKeyId', 'capability', 'tag'] as const;
const ofKeys = ['apiKeyId'] as const;

export const kindTraits: Readonly<Record<AlertKind, KindTraits>> = {
  spend: { unit: 'USD', firesWhen: 'above', hasWindow: true, filters: ofUsage, maxThreshold: MAX_USD },
  error_rate: { unit: 'percent', firesWhen: 'above', hasWindow: true, filters: ofUsage, maxThreshold: 100 },
  latency: { unit: 'ms', firesWhen: 'above', hasWindow: true, filters: ofUsage, maxThreshold: MAX_MS },
  // Requests of that time are read one by one.
  provider_down: {
    unit: 'minutes',
    firesWhen: 'above',
    hasWindow: false,
    filters: ['model', 'provider'],
    maxThreshold: 60,
  },
  spend_anomaly: { unit: 'factor', firesWhen: 'above', hasWindow: false, filters: ofUsage, maxThreshold: 1_000 },
  key_expiring: { unit: 'days', firesWhen: 'below', hasWindow: false, filters: ofKeys, maxThreshold: 365 },
  budget: { unit: 'percent', firesWhen: 'above', hasWindow: false, filters: ofKeys, maxThreshold: 1_000 },
};

/** A value with its unit, for people. */
export function formatValue(value: number, unit: AlertUnit): string {
  switch (unit) {
    case 'USD':
      return `${trimmed(value, 6)} USD`;
    case 'percent':
      return `${trimmed(value, 1)} %`;
    case 'ms':
      return value < 1_000 ? `${Math.round(value)} ms` : `${trimmed(value / 1_000, 2)} s`;
    case 'factor':
      return `${trimmed(value, 2)} times`;
    case 'minutes':
    case 'days':
      return `${trimmed(value, 1)} ${value === 1 ? unit.slice(0, -1) : unit}`;
  }
}

function trimmed(value: number, places: number): string {
  return String(Number(value.toFixed(places)));
}
