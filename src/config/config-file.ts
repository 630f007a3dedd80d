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
const configSchema = z.strictObject({
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

/** Values of variables by name; null leaves `${NAME}` unchanged, for commands that need no secrets. */
type Variables = Readonly<Record<string, string | undefined>> | null;

/**
 * Reads `sluice.yaml`.
 * @param required whether a missing file is an error
 * @param known IDs and aliases of providers; others need a base URL. Not checked if undefined
 * @throws ConfigurationError with all errors
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

/** @throws ConfigurationError with all errors */
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
  // Sections that match the schema are also checked for semantic errors, so that all errors are reported together.
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

/** @throws ConfigurationError if the document is not valid YAML */
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

/** Modification time of the file in milliseconds; 0 if it does not exist. */
export async function changedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return 0;
  }
}

/** Appends to `faults`. */
function withEnvironment(config: SluiceConfig, environment: Variables, faults: string[]): SluiceConfig {
  if (environment === null) return config;
  const before = faults.length;
  const filled = (text: string, member: string): string =>
    text.replace(/\$\{(\w+)\}/g, (_whole, name: string) => {
      const value = environment[name];
      if (!value) faults.push(`${member}: the environment variable ${name} is not set`);
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
