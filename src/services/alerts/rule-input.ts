import { z } from 'zod';
import { capabilityNames } from '../../catalogue/capability-names.ts';
import { alertKinds, alertMeasures, type AlertFilter, type AlertKind } from '../../database/entities/index.ts';
import { kindTraits } from './alert-kinds.ts';

const MAX_CHANNELS = 10;
const MAX_WINDOW_MINUTES = 30 * 1_440;
const QUARTER_MINUTES = 15;
const MAX_TEXT_LENGTH = 200;

const text = z.string().trim().min(1).max(MAX_TEXT_LENGTH);

const filterSchema = z
  .object({
    model: text.nullish(),
    provider: text.nullish(),
    apiKeyId: z.uuid().nullish(),
    capability: z.enum(capabilityNames).nullish(),
    tag: z.object({ name: text, value: text }).nullish(),
  })
  .transform(({ model, provider, apiKeyId, capability, tag }): AlertFilter => ({
    ...(model != null && { model }),
    ...(provider != null && { provider }),
    ...(apiKeyId != null && { apiKeyId }),
    ...(capability != null && { capability }),
    ...(tag != null && { tag }),
  }));

/** What a rule observes, and when it fires. */
export const conditionSchema = z
  .object({
    kind: z.enum(alertKinds),
    threshold: z.number().positive(),
    /** The threshold if absent. */
    resolveThreshold: z.number().nonnegative().nullish(),
    minimum: z.number().nonnegative().max(1e9).nullish(),
    windowMinutes: z.int().min(QUARTER_MINUTES).max(MAX_WINDOW_MINUTES).multipleOf(QUARTER_MINUTES).nullish(),
    percentile: z.union([z.literal(50), z.literal(90), z.literal(95), z.literal(99)]).nullish(),
    measure: z.enum(alertMeasures).nullish(),
    filter: filterSchema.nullish(),
  })
  .transform((given) => ({
    kind: given.kind,
    threshold: given.threshold,
    resolveThreshold: given.resolveThreshold ?? defaultResolve(given.kind, given.threshold),
    minimum: given.minimum ?? defaultMinimum[given.kind],
    windowMinutes: given.windowMinutes ?? 60,
    percentile: given.percentile ?? 95,
    measure: given.measure ?? ('duration' as const),
    filter: given.filter ?? {},
  }))
  .superRefine(({ kind, threshold, resolveThreshold, filter }, context) => {
    const { maxThreshold, firesWhen, filters } = kindTraits[kind];
    const fault = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
    if (threshold > maxThreshold) fault('threshold', `must be at most ${maxThreshold} for this kind`);
    if (firesWhen === 'above' && resolveThreshold > threshold)
      fault('resolveThreshold', 'must not be above the threshold');
    if (firesWhen === 'below' && resolveThreshold < threshold)
      fault('resolveThreshold', 'must not be below the threshold');
    for (const name of Object.keys(filter))
      if (!filters.some((each) => each === name)) fault('filter', `does not support ${name} for this kind`);
  });

/** A complete rule. */
export const ruleSchema = z.intersection(
  conditionSchema,
  z.object({
    name: z.string().trim().min(1).max(100),
    channelIds: z
      .array(z.uuid())
      .max(MAX_CHANNELS)
      .transform((ids) => [...new Set(ids)]),
    enabled: z.boolean().nullish(),
  }),
);

export type ConditionInput = z.input<typeof conditionSchema>;
export type AlertRuleInput = z.input<typeof ruleSchema>;

/** Requests, or USD; a single request says nothing about a rate or a provider. */
const defaultMinimum: Readonly<Record<AlertKind, number>> = {
  spend: 0,
  error_rate: 20,
  latency: 20,
  provider_down: 3,
  spend_anomaly: 1,
  key_expiring: 0,
  budget: 0,
};

/** An outage ends with a success. */
function defaultResolve(kind: AlertKind, threshold: number): number {
  return kind === 'provider_down' ? 0 : threshold;
}
