import { z } from 'zod';
import { modelOverridesSchema } from '../catalogue/model-overrides.ts';
import { graphqlSchema } from './graphql.ts';
import { identityProvidersSchema } from './identity-providers.ts';
import { plansSchema } from './plans.ts';

const seconds = z.number().positive().max(86_400);
const count = z.int().min(1).max(1_000_000_000_000);

const providerSchema = z.strictObject({
  /** `${NAME}` is replaced by the value of the environment variable, so that the file contains no secrets. */
  api_key: z.string().optional(),
  base_url: z.url({ protocol: /^https?$/ }).optional(),
  /** Whether URLs in requests are forwarded to a self-hosted server. Otherwise Sluice fetches them and sends their content. */
  forward_urls: z.boolean().optional(),
  /** Whether requests are billed. If false, as for a self-hosted server, only models with a price in `models` are billed. */
  billed: z.boolean().optional(),
  /** Options of the provider: `region`, `project`, `api_version` ... */
  options: z.record(z.string(), z.string()).default({}),
});

/** Six minutes to a year. */
const sessionHours = z.number().min(0.1).max(8_784);
const modelName = z.string().min(1).max(256);
const aliasTarget = z
  .string('must be provider/model or a route')
  .min(1, 'must be provider/model or a route')
  .max(256, 'must be provider/model or a route');
const weight = z.number().min(0).max(1_000_000);
const timeoutsSchema = z.strictObject({
  connect: seconds.optional(),
  answer: seconds.optional(),
  headers: seconds.optional(),
  first_token: seconds.optional(),
  between_chunks: seconds.optional(),
});

/** Moderation of the input and the output of chats. */
const moderationSchema = z.strictObject({
  model: modelName,
  check: z
    .array(z.enum(['input', 'output']))
    .min(1)
    .optional(),
  action: z.enum(['block', 'annotate']),
});

/** Routing rules, for all models or for one route. */
const rules = {
  order: z.enum(['listed', 'weighted', 'price', 'latency', 'throughput']).optional(),
  sticky: z.enum(['user', 'none']).optional(),
  parameters: z.enum(['drop', 'strict']).optional(),
  retries: z.int().min(0).max(10).optional(),
  /** Seconds that responses are cached for identical requests. */
  cache: seconds.optional(),
  /** `none` disables the moderation set in `routing`. */
  moderation: z.union([moderationSchema, z.literal('none')]).optional(),
};

const routeSchema = z.strictObject({
  ...rules,
  targets: z
    .array(z.union([modelName, z.strictObject({ model: modelName, weight: weight.default(1) })]))
    .min(1, 'a route must have at least one target')
    .max(64),
  timeouts: timeoutsSchema.default({}),
  /** Model for requests whose input is too long for the targets. */
  larger: modelName.optional(),
});

/** `sluice.yaml`. All members are optional; unknown members are errors. */
export const configSchema = z.strictObject({
  providers: z
    .record(
      z
        .string()
        .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'a provider ID may contain only lower-case letters, digits and dashes'),
      providerSchema.nullable(),
    )
    .default({}),
  aliases: z.record(modelName, aliasTarget).default({}),
  routes: z.record(modelName, routeSchema).default({}),
  /** Rules for models without a route, and defaults for routes. */
  routing: z.strictObject(rules).default({}),
  /** Response cache for requests that opt in: in memory, or in Redis for several processes. Read at startup. */
  cache: z
    .strictObject({
      redis: z.string().optional(),
      megabytes: z.int().min(1).max(65_536).default(64),
    })
    .prefault({}),
  /** Overrides of the catalogue, for example prices. */
  models: modelOverridesSchema.default({}),
  limits: z
    .strictObject({
      requests_per_minute: count.optional(),
      tokens_per_minute: count.optional(),
      requests_per_day: count.optional(),
      concurrency: count.optional(),
    })
    .default({}),
  /** Additional plans, and changes to the three built-in ones. */
  plans: plansSchema.default({}),
  /** Plan of new accounts. */
  default_plan: z.string().default('free'),
  /** Without SMTP: whether new accounts may use the operator's provider credentials before they are approved. */
  signup_spending: z.enum(['approve', 'allow']).default('approve'),
  graphql: graphqlSchema.prefault({}),
  /** Lifetime of sessions: the idle timeout and the maximum. */
  sessions: z.strictObject({ idle_hours: sessionHours.optional(), max_hours: sessionHours.optional() }).default({}),
  identityProviders: identityProvidersSchema,
  timeouts: timeoutsSchema.extend({ caller: seconds.optional() }).default({}),
});

export type SluiceConfig = z.infer<typeof configSchema>;
