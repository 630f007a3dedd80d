import { duration, money } from '../../design/format.ts';
import type { AlertChannelKind, AlertKind, AlertRulePartsFragment } from '../../generated/graphql.ts';

export const alertKinds: readonly AlertKind[] = [
  'SPEND',
  'ERROR_RATE',
  'LATENCY',
  'PROVIDER_DOWN',
  'SPEND_ANOMALY',
  'KEY_EXPIRING',
  'BUDGET',
];

interface KindTexts {
  readonly name: string;
  /** What the rule does, in plain words. */
  readonly explanation: string;
  readonly threshold: string;
  readonly resolve: string;
  readonly minimum?: string;
  readonly defaultThreshold: number;
  readonly defaultMinimum?: number;
  readonly maxThreshold: number;
  readonly hasWindow?: true;
  /** Which usage can be chosen. */
  readonly filters: readonly ('model' | 'provider' | 'key' | 'tag')[];
}

const ofUsage = ['model', 'provider', 'key', 'tag'] as const;

export const kindTexts: Readonly<Record<AlertKind, KindTexts>> = {
  SPEND: {
    name: 'Spend',
    explanation: 'Fires when the spend within the window reaches the threshold.',
    threshold: 'Threshold (USD)',
    resolve: 'Resolves at (USD)',
    defaultThreshold: 10,
    maxThreshold: 1_000_000_000,
    hasWindow: true,
    filters: ofUsage,
  },
  ERROR_RATE: {
    name: 'Error rate',
    explanation: 'Fires when too many requests within the window failed or were interrupted.',
    threshold: 'Threshold (%)',
    resolve: 'Resolves at (%)',
    minimum: 'Minimum requests',
    defaultThreshold: 10,
    defaultMinimum: 20,
    maxThreshold: 100,
    hasWindow: true,
    filters: ofUsage,
  },
  LATENCY: {
    name: 'Latency',
    explanation: 'Fires when a percentile of the requests within the window is too slow.',
    threshold: 'Threshold (ms)',
    resolve: 'Resolves at (ms)',
    minimum: 'Minimum requests',
    defaultThreshold: 10_000,
    defaultMinimum: 20,
    maxThreshold: 3_600_000,
    hasWindow: true,
    filters: ofUsage,
  },
  PROVIDER_DOWN: {
    name: 'Provider unavailable',
    explanation:
      'Fires when every attempt at a provider has failed for this long, also if another provider served the requests. Resolves at the next success.',
    threshold: 'Threshold (minutes)',
    resolve: 'Resolves at (minutes)',
    minimum: 'Minimum failed attempts',
    defaultThreshold: 5,
    defaultMinimum: 3,
    maxThreshold: 60,
    filters: ['provider', 'model'],
  },
  SPEND_ANOMALY: {
    name: 'Spend anomaly',
    explanation:
      'Fires when the spend of the last hour is this many times the median of the same hour of the four weeks before.',
    threshold: 'Factor',
    resolve: 'Resolves at (factor)',
    minimum: 'Minimum spend (USD)',
    defaultThreshold: 3,
    defaultMinimum: 1,
    maxThreshold: 1_000,
    filters: ofUsage,
  },
  KEY_EXPIRING: {
    name: 'Key expiring',
    explanation: 'Fires for each API key that expires within this many days. Resolves when the key is replaced.',
    threshold: 'Days before expiry',
    resolve: 'Resolves at (days)',
    defaultThreshold: 14,
    maxThreshold: 365,
    filters: ['key'],
  },
  BUDGET: {
    name: 'Budget',
    explanation: 'Fires for each budget whose spent share reaches the threshold. Resolves when it resets or is raised.',
    threshold: 'Threshold (%)',
    resolve: 'Resolves at (%)',
    defaultThreshold: 80,
    maxThreshold: 1_000,
    filters: ['key'],
  },
};

/** A value in the unit of its kind. */
export function valueText(kind: AlertKind, value: number | null | undefined): string {
  if (value == null) return 'not enough data';
  switch (kind) {
    case 'SPEND':
      return money(value);
    case 'ERROR_RATE':
    case 'BUDGET':
      return `${rounded(value)}%`;
    case 'LATENCY':
      return duration(value);
    case 'PROVIDER_DOWN':
      return `${rounded(value)} min`;
    case 'SPEND_ANOMALY':
      return `${rounded(value)} times`;
    case 'KEY_EXPIRING':
      return `${rounded(value)} days`;
  }
}

function rounded(value: number): string {
  return String(Number(value.toFixed(1)));
}

/** The condition of a rule in one line. */
export function conditionText({ kind, threshold, windowMinutes, percentile }: AlertRulePartsFragment): string {
  const { name, hasWindow } = kindTexts[kind];
  const what = kind === 'LATENCY' ? `${name} p${percentile}` : name;
  const sign = kind === 'KEY_EXPIRING' ? '≤' : '≥';
  return `${what} ${sign} ${valueText(kind, threshold)}${hasWindow ? ` in ${windowText(windowMinutes)}` : ''}`;
}

export const windows: readonly number[] = [15, 30, 60, 180, 360, 720, 1_440, 10_080, 43_200];

export function windowText(minutes: number): string {
  if (minutes % 1_440 === 0) return minutes === 1_440 ? '1 day' : `${minutes / 1_440} days`;
  if (minutes % 60 === 0) return minutes === 60 ? '1 hour' : `${minutes / 60} hours`;
  return `${minutes} minutes`;
}

export const channelKinds: readonly AlertChannelKind[] = ['EMAIL', 'SLACK', 'TEAMS', 'PAGERDUTY', 'WEBHOOK'];

export const channelNames: Readonly<Record<AlertChannelKind, string>> = {
  EMAIL: 'E-mail',
  SLACK: 'Slack',
  TEAMS: 'Microsoft Teams',
  PAGERDUTY: 'PagerDuty',
  WEBHOOK: 'Webhook',
};

export const channelHints: Readonly<Record<AlertChannelKind, string>> = {
  EMAIL: 'Addresses of members of this account.',
  SLACK: 'The URL of an incoming webhook of a Slack app.',
  TEAMS: 'The URL of a workflow that starts when a webhook request is received.',
  PAGERDUTY: 'The integration key of a service with the Events API v2.',
  WEBHOOK: 'Your URL receives events that are signed according to Standard Webhooks.',
};
