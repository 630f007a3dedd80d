import type { AlertKind, AlertTransition } from '../../database/entities/index.ts';
import { formatValue, kindTraits } from './alert-kinds.ts';
import type { Observation, Reading } from './readings/observation.ts';

type Described = Pick<Observation, 'kind' | 'threshold' | 'windowMinutes' | 'percentile' | 'measure' | 'filter'>;

/** A sentence about a value, for people. */
export function summaryOf(
  transition: AlertTransition,
  rule: Described,
  { label, value }: Pick<Reading, 'label' | 'value'>,
): string {
  const { unit } = kindTraits[rule.kind];
  const shown = value === null ? null : formatValue(value, unit);
  const limit = formatValue(rule.threshold, unit);
  if (transition === 'resolved' && shown === null) return resolvedWithout[rule.kind](label);
  const sentence = sentences[rule.kind](rule, label, shown ?? 'not known');
  return `${sentence}${scopeOf(rule)}. The threshold is ${limit}.`;
}

type Sentence = (rule: Described, label: string, shown: string) => string;

const sentences: Readonly<Record<AlertKind, Sentence>> = {
  spend: ({ windowMinutes }, _label, shown) => `Spend in the last ${minutes(windowMinutes)} is ${shown}`,
  error_rate: ({ windowMinutes }, _label, shown) => `The error rate of the last ${minutes(windowMinutes)} is ${shown}`,
  latency: ({ windowMinutes, percentile, measure }, _label, shown) =>
    `The p${percentile} of the ${measure === 'duration' ? 'duration' : 'time to the first token'} in the last ${minutes(windowMinutes)} is ${shown}`,
  provider_down: (_rule, label, shown) => `The provider ${label} has been unavailable for ${shown}`,
  spend_anomaly: (_rule, _label, shown) => `Spend in the last hour is ${shown} that of the same hour in previous weeks`,
  key_expiring: (_rule, label, shown) => `The key ${label} expires in ${shown}`,
  budget: (_rule, label, shown) => `The budget of ${label} is ${shown} spent`,
};

const resolvedWithout: Readonly<Record<AlertKind, (label: string) => string>> = {
  spend: () => 'The rule was changed, disabled or deleted.',
  error_rate: () => 'The rule was changed, disabled or deleted.',
  latency: () => 'The rule was changed, disabled or deleted.',
  spend_anomaly: () => 'The rule was changed, disabled or deleted.',
  provider_down: (label) => `The provider ${label} is no longer observed.`,
  key_expiring: (label) => `The key ${label} was replaced, revoked or has expired.`,
  budget: (label) => `The budget of ${label} was removed or is no longer observed.`,
};

function scopeOf({ kind, filter }: Described): string {
  if (kind === 'key_expiring' || kind === 'budget') return '';
  const { model, provider, apiKeyId, capability, tag } = filter;
  const parts = [
    ...(model === undefined ? [] : [`model ${model}`]),
    ...(provider === undefined || kind === 'provider_down' ? [] : [`provider ${provider}`]),
    ...(apiKeyId === undefined ? [] : ['one key']),
    ...(capability === undefined ? [] : [`capability ${capability}`]),
    ...(tag === undefined ? [] : [`tag ${tag.name}=${tag.value}`]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function minutes(count: number): string {
  if (count % 1_440 === 0) return count === 1_440 ? 'day' : `${count / 1_440} days`;
  if (count % 60 === 0) return count === 60 ? 'hour' : `${count / 60} hours`;
  return `${count} minutes`;
}
