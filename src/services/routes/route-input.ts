import { z } from 'zod';
import type { AccountRouteRules } from '../../database/entities/index.ts';
import type { GivenModelName } from '../model-names.ts';
import { moderationRulesSchema } from '../moderation-rules.ts';

// The same bounds as `routes` in `sluice.yaml`.
const seconds = z.number().positive().max(86_400);

/** PostgreSQL can store neither NUL nor lone surrogates, and names need no other control characters. */
const modelName = z
  .string()
  .trim()
  .min(1)
  .max(256)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not contain control characters');

const timeouts = z.object({
  connectSeconds: withDefault(seconds),
  answerSeconds: withDefault(seconds),
  headersSeconds: withDefault(seconds),
  firstTokenSeconds: withDefault(seconds),
  betweenChunksSeconds: withDefault(seconds),
});

export const routeSchema = z.object({
  name: modelName.regex(/^[^*]+\*?$/, 'may have one `*`, at its end and after other characters'),
  targets: z
    .array(z.object({ model: modelName, weight: z.number().min(0).max(1_000_000).nullish() }))
    .min(1, 'must contain at least one target')
    .max(64),
  order: withDefault(z.enum(['listed', 'weighted', 'price', 'latency', 'throughput'])),
  sticky: withDefault(z.boolean()),
  parameters: withDefault(z.enum(['drop', 'strict'])),
  retries: withDefault(z.int().min(0).max(10)),
  batches: withDefault(z.enum(['provider', 'sluice'])),
  timeouts: withDefault(timeouts),
  larger: withDefault(modelName),
  cacheSeconds: withDefault(seconds),
  moderation: withDefault(moderationRulesSchema),
  /** Whether unlisted model names are stored. */
  saveAnyway: z.boolean().nullish(),
});

export type RouteInput = z.input<typeof routeSchema>;

/** A route in its stored form. */
export function toRules(given: z.output<typeof routeSchema>): AccountRouteRules {
  const { order, sticky, parameters, retries, batches, timeouts: times, larger, cacheSeconds, moderation } = given;
  return {
    targets: given.targets.map(({ model, weight }) => ({ model, weight: weight ?? 1 })),
    order,
    sticky,
    parameters,
    retries,
    batches,
    timeouts: times && {
      connect: times.connectSeconds,
      answer: times.answerSeconds,
      headers: times.headersSeconds,
      firstToken: times.firstTokenSeconds,
      betweenChunks: times.betweenChunksSeconds,
    },
    larger,
    cache: cacheSeconds,
    moderation,
  };
}

/** The model names in a route's input. */
export function modelNamesOf({
  targets,
  larger,
  moderation,
}: Pick<AccountRouteRules, 'targets' | 'larger' | 'moderation'>): GivenModelName[] {
  return [
    ...targets.map(({ model }, at) => ({ name: model, param: `targets.${at}.model`, acceptsRoutes: false })),
    ...(larger === undefined ? [] : [{ name: larger, param: 'larger', acceptsRoutes: false }]),
    ...(moderation ? [{ name: moderation.model, param: 'moderation.model', acceptsRoutes: true }] : []),
  ];
}

/** Absent or null members have the operator's default. */
function withDefault<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}
