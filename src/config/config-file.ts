import { readFile, stat } from 'node:fs/promises';
import { isNode, LineCounter, parseDocument, YAMLParseError, type Document } from 'yaml';
import { z } from 'zod';
import { modelOverridesSchema } from '../catalogue/model-overrides.ts';
import { ConfigurationError } from './environment.ts';
import { faultLines, faultText } from './fault-text.ts';
import { graphqlFaults, graphqlSchema } from './graphql.ts';
import { identityFaults, identityProvidersSchema } from './identity-providers.ts';
import { modelNameFaults } from './model-name-faults.ts';
import { planFaults, plansSchema } from './plans.ts';
import { routingFaults } from './routing-faults.ts';

const seconds = z.number().positive().max(86_400);
const count = z.int().min(1).max(1_000_000_000_000);

const providerSchema = z.strictObject({
  /** `${NAME}` takes the value from the environment, so that no secret stands in the file. */
  api_key: z.string().optional(),
  base_url: z.url({ protocol: /^https?$/ }).optional(),
  /** Whether it is sent the addresses in requests, where it is a server of one's own: else what stands there is fetched here. */
  forward_urls: z.boolean().optional(),
  /** Whether it charges for requests; false for a server of one's own, whose models cost nothing unless `models` says so. */
  billed: z.boolean().optional(),
  /** What only this provider has: `region`, `project`, `api_version` ... */
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

/** A moderation model before and behind chats. */
const moderationSchema = z.strictObject({
  model: modelName,
  check: z
    .array(z.enum(['input', 'output']))
    .min(1)
    .optional(),
  action: z.enum(['block', 'annotate']),
});

/** How requests are sent: for all models, or for one route. */
const rules = {
  order: z.enum(['listed', 'weighted', 'price', 'latency', 'throughput']).optional(),
  sticky: z.enum(['user', 'none']).optional(),
  parameters: z.enum(['drop', 'strict']).optional(),
  retries: z.int().min(0).max(10).optional(),
  /** How long answers are kept for requests alike. */
  cache: seconds.optional(),
  /** `none`: not what `routing` has for all. */
  moderation: z.union([moderationSchema, z.literal('none')]).optional(),
};

const routeSchema = z.strictObject({
  ...rules,
  targets: z
    .array(z.union([modelName, z.strictObject({ model: modelName, weight: weight.default(1) })]))
    .min(1, 'a route needs a target')
    .max(64),
  timeouts: timeoutsSchema.default({}),
  /** Where a request goes whose input is too long for the targets. */
  larger: modelName.optional(),
});

/** `sluice.yaml`. Each member is optional; a name that is not known is a fault. */
const configSchema = z.strictObject({
  providers: z
    .record(
      z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'a provider id is lower-case letters, digits and dashes'),
      providerSchema.nullable(),
    )
    .default({}),
  aliases: z.record(modelName, aliasTarget).default({}),
  routes: z.record(modelName, routeSchema).default({}),
  /** What holds for models that no route names, and for what a route does not say. */
  routing: z.strictObject(rules).default({}),
  /** Where answers are kept for requests that ask for it: in memory, or in Redis for several processes. Read at the start. */
  cache: z
    .strictObject({
      redis: z.string().optional(),
      megabytes: z.int().min(1).max(65_536).default(64),
    })
    .prefault({}),
  /** What the operator knows better of models than the catalogue, prices above all. */
  models: modelOverridesSchema.default({}),
  limits: z
    .strictObject({
      requests_per_minute: count.optional(),
      tokens_per_minute: count.optional(),
      requests_per_day: count.optional(),
      concurrency: count.optional(),
    })
    .default({}),
  /** What accounts have: the three that there are anyway, changed, and others. */
  plans: plansSchema.default({}),
  /** Of accounts that sign up. */
  default_plan: z.string().default('free'),
  /** Whether accounts that sign up where no mail can be sent spend on the operator's credentials before they are approved. */
  signup_spending: z.enum(['approve', 'allow']).default('approve'),
  graphql: graphqlSchema.prefault({}),
  /** How long people stay signed in: without a request, and at most. */
  sessions: z.strictObject({ idle_hours: sessionHours.optional(), max_hours: sessionHours.optional() }).default({}),
  identityProviders: identityProvidersSchema,
  timeouts: timeoutsSchema.extend({ caller: seconds.optional() }).default({}),
});

export type SluiceConfig = z.infer<typeof configSchema>;

/** Values of variables by name; null leaves `${NAME}` as it stands, for who needs no secret. */
type Variables = Readonly<Record<string, string | undefined>> | null;

/**
 * Reads `sluice.yaml`.
 * @param required whether its absence is a fault
 * @param known ids and other names of providers: others need a base URL; undefined where that is not looked at
 * @throws ConfigurationError with all faults together
 */
export async function readConfigFile(
  path: string,
  required: boolean,
  environment: Variables,
  known?: ReadonlySet<string>,
): Promise<SluiceConfig> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (!required && isMissing(error)) return configSchema.parse({});
    throw new ConfigurationError([`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`]);
  }
  return parseConfig(path, text, environment, known);
}

/** @throws ConfigurationError with all faults together */
export function parseConfig(
  path: string,
  text: string,
  environment: Variables,
  known?: ReadonlySet<string>,
): SluiceConfig {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const value = valueOf(path, document);
  const parsed = configSchema.safeParse(value, { error: faultText });
  const faults = parsed.success ? [] : faultLines(parsed.error.issues);
  // Sections without a fault of form are looked through all the same: all faults are told together.
  const { data } = parsed.success ? parsed : configSchema.safeParse(withoutFaulty(value, parsed.error.issues));
  const config = data && withEnvironment(data, environment, faults);
  if (data)
    faults.push(...routingFaults(data, known), ...planFaults(data), ...graphqlFaults(data), ...identityFaults(data));
  if (data && known)
    faults.push(
      ...modelNameFaults(data, known, (at) => {
        const node = document.getIn(at, true);
        return isNode(node) && node.range ? lines.linePos(node.range[0]).line : undefined;
      }),
    );
  if (faults.length > 0 || config === undefined)
    throw new ConfigurationError(faults.map((fault) => `${path}: ${fault}`));
  return config;
}

/** @throws ConfigurationError where it is no YAML */
function valueOf(path: string, document: Document.Parsed): unknown {
  try {
    const [error] = document.errors;
    if (error) throw error;
    return document.toJS() ?? {};
  } catch (error) {
    throw new ConfigurationError([`${path}: ${error instanceof YAMLParseError ? error.message : String(error)}`]);
  }
}

function withoutFaulty(value: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const faulty = new Set(issues.map(({ path: [section] }) => section));
  return Object.fromEntries(
    Object.entries(value).filter(([section]) => !faulty.has(section) && Object.hasOwn(configSchema.shape, section)),
  );
}

/** When the file was last changed, in milliseconds; 0 where there is none. */
export async function changedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return 0;
  }
}

/** Adds to the faults. */
function withEnvironment(config: SluiceConfig, environment: Variables, faults: string[]): SluiceConfig {
  if (environment === null) return config;
  const before = faults.length;
  const filled = (text: string, member: string): string =>
    text.replace(/\$\{(\w+)\}/g, (_whole, name: string) => {
      const value = environment[name];
      if (!value) faults.push(`${member}: the environment has no ${name}`);
      return value ?? '';
    });
  const providers: SluiceConfig['providers'] = {};
  for (const [id, provider] of Object.entries(config.providers)) {
    const at = `providers.${id}`;
    const options = Object.entries(provider?.options ?? {}).map(([name, value]) => [
      name,
      filled(value, `${at}.options.${name}`),
    ]);
    providers[id] = {
      ...provider,
      api_key: provider?.api_key && filled(provider.api_key, `${at}.api_key`),
      options: Object.fromEntries(options),
    };
  }
  const identityProviders = Object.fromEntries(
    Object.entries(config.identityProviders).map(([id, entry]) => {
      const at = `identityProviders.${id}`;
      const secret = entry.client_secret && filled(entry.client_secret, `${at}.client_secret`);
      return [id, { ...entry, client_id: filled(entry.client_id, `${at}.client_id`), client_secret: secret }];
    }),
  );
  const redis = config.cache.redis && filled(config.cache.redis, 'cache.redis');
  if (redis && !/^rediss?:\/\//.test(redis) && faults.length === before)
    faults.push('cache.redis: must be a URL that begins with redis:// or rediss://');
  return { ...config, providers, identityProviders, cache: { ...config.cache, redis } };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
