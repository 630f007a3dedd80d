import { z } from 'zod';
import { modelOverridesSchema } from '../catalogue/model-overrides.ts';
import { graphqlSchema } from './graphql.ts';
import { identityProvidersSchema } from './identity-providers.ts';
import { plansSchema } from './plans.ts';

const seconds = z.number().positive().max(86_400);
const count = z.int().min(1).max(1_000_000_000_000);

/** As the provider names it: `eu`, `eu-central-1`. */
const REGION_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
const MAX_RETENTION_DAYS = 36_500;

const providerSchema = z.strictObject({
  api_key: z.string().optional().describe('API key. `${NAME}` is replaced by the environment variable.'),
  base_url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Address of the API, with the path of its version. Required for servers that are not known providers.'),
  forward_urls: z
    .boolean()
    .optional()
    .describe(
      'Whether URLs in requests are forwarded to a self-hosted server. Otherwise Sluice fetches them and sends their content.',
    ),
  billed: z
    .boolean()
    .optional()
    .describe(
      'Whether requests are billed. If `false`, as for self-hosted servers, only models with a price in `models` are billed.',
    ),
  options: z
    .record(z.string(), z.string())
    .default({})
    .describe('Options of the provider, for example `region`, `project` or `api_version`.'),
  region: z
    .string()
    .regex(REGION_NAME, 'a region may contain only lower-case letters, digits and dashes')
    .optional()
    .describe(
      'Region in which the provider processes the requests, shown in the catalogue. By default it is taken from the address or the options, if they contain one.',
    ),
  data_policy: z
    .strictObject({
      trains_on_data: z
        .boolean()
        .optional()
        .describe('Whether the provider trains models with the data of requests, for example by your contract.'),
      retention_days: z
        .int()
        .min(0)
        .max(MAX_RETENTION_DAYS)
        .optional()
        .describe('Days for which the provider retains requests and responses. 0 is zero retention.'),
    })
    .optional(),
});

/** Six minutes to a year. */
const sessionHours = z.number().min(0.1).max(8_784);
const modelName = z.string().min(1).max(256);
/** A pattern stands for all names that begin like it. */
const nameOrPattern = modelName.regex(/^[^*]+\*?$/, 'may have one `*`, at its end and after other characters');
const aliasTarget = z
  .string('must be provider/model or a route')
  .min(1, 'must be provider/model or a route')
  .max(256, 'must be provider/model or a route');
const weight = z.number().min(0).max(1_000_000);
const timeoutsSchema = z.strictObject({
  connect: seconds.optional().describe('Seconds to connect to the provider; 10 by default.'),
  answer: seconds.optional().describe('Seconds until a response without stream; 600 by default.'),
  headers: seconds.optional().describe('Seconds until the headers of a stream; 120 by default.'),
  first_token: seconds.optional().describe('Seconds until the first token of a stream; 600 by default.'),
  between_chunks: seconds.optional().describe('Seconds between two chunks of a stream; 120 by default.'),
});

/** Moderation of the input and the output of chats. */
const moderationSchema = z.strictObject({
  model: modelName.describe('Moderation model.'),
  check: z
    .array(z.enum(['input', 'output']))
    .min(1)
    .optional()
    .describe('What is checked; both by default.'),
  action: z
    .enum(['block', 'annotate'])
    .describe('Whether flagged content is refused, or named in `x-sluice-moderation`.'),
});

/** Routing rules, for all models or for one route. */
const rules = {
  order: z
    .enum(['listed', 'weighted', 'price', 'latency', 'throughput'])
    .optional()
    .describe('Order in which targets are tried; `listed` by default.'),
  sticky: z
    .enum(['user', 'none'])
    .optional()
    .describe('With `user`, requests of one end user use the same target; `none` by default.'),
  affinity: z
    .enum(['conversation', 'none'])
    .optional()
    .describe(
      'With `conversation` (default), a conversation stays at the target that has its prompt in its cache, if `order` is `weighted`, `latency` or `throughput`.',
    ),
  parameters: z
    .enum(['drop', 'strict'])
    .optional()
    .describe('Whether parameters that a target does not support are dropped (default) or refused.'),
  retries: z.int().min(0).max(10).optional().describe('Retries at an only target; 2 by default.'),
  batches: z
    .enum(['provider', 'sluice'])
    .optional()
    .describe(
      'Whether requests of [batches](api/batches.md) run by the batch API of the first target’s provider, where it has one, or one by one by Sluice (default).',
    ),
  cache: seconds.optional().describe('Seconds that responses are cached for identical requests; off by default.'),
  moderation: z
    .union([moderationSchema, z.literal('none')])
    .optional()
    .describe('[Moderation](api/moderation.md) of chats. `none` disables the one of `routing`.'),
};

const routeSchema = z.strictObject({
  ...rules,
  targets: z
    .array(z.union([modelName, z.strictObject({ model: modelName, weight: weight.default(1) })]))
    .min(1, 'a route must have at least one target')
    .max(64)
    .describe('Models, in order, each a name or `{ model, weight }`.'),
  timeouts: timeoutsSchema.default({}),
  larger: modelName.optional().describe('Model for requests whose input is too long for the targets.'),
});

/** `sluice.yaml`. All members are optional; unknown members are errors. Descriptions are texts of docs/configuration.md. */
export const configSchema = z.strictObject({
  providers: z
    .record(
      z
        .string()
        .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'a provider ID may contain only lower-case letters, digits and dashes'),
      providerSchema.nullable(),
    )
    .default({}),
  aliases: z
    .record(nameOrPattern, aliasTarget)
    .default({})
    .describe(
      'Names of models and routes. `claude-*` stands for all names that begin with `claude-` and are no exact name.',
    ),
  routes: z.record(nameOrPattern, routeSchema).default({}),
  /** Rules for models without a route, and defaults for routes. */
  routing: z.strictObject(rules).default({}),
  /** Read at startup. */
  cache: z
    .strictObject({
      redis: z
        .string()
        .optional()
        .describe('Redis for the response cache of several instances, if it is not `REDIS_URL`.'),
      megabytes: z.int().min(1).max(65_536).default(64).describe('Size of the response cache in memory, in MB.'),
    })
    .prefault({}),
  /** Overrides of the catalogue, for example prices. */
  models: modelOverridesSchema.default({}),
  limits: z
    .strictObject({
      requests_per_minute: count.optional().describe('Requests per minute of a key without its own limit.'),
      tokens_per_minute: count.optional().describe('Tokens per minute of such a key.'),
      requests_per_day: count.optional().describe('Requests per day of such a key.'),
      concurrency: count.optional().describe('Concurrent requests of such a key.'),
    })
    .default({}),
  /** Additional plans, and changes to the three built-in ones. */
  plans: plansSchema.default({}),
  default_plan: z.string().default('free').describe('Plan of new accounts.'),
  signup_spending: z
    .enum(['approve', 'allow'])
    .default('approve')
    .describe(
      "Without a mail server: whether new accounts may use the operator's provider credentials before they are approved.",
    ),
  graphql: graphqlSchema.prefault({}),
  sessions: z
    .strictObject({
      idle_hours: sessionHours
        .optional()
        .describe('Hours without a request after which a session ends; 168 by default.'),
      max_hours: sessionHours.optional().describe('Hours after which a session ends; 720 by default.'),
    })
    .default({}),
  identityProviders: identityProvidersSchema,
  timeouts: timeoutsSchema
    .extend({
      caller: seconds
        .optional()
        .describe('Seconds after which a client that does not read its response is disconnected; 300 by default.'),
    })
    .default({}),
});

export type SluiceConfig = z.infer<typeof configSchema>;
