import { readFile, stat } from 'node:fs/promises';
import { isNode, LineCounter, parseDocument, YAMLParseError, type Document } from 'yaml';
import type { z } from 'zod';
import { configSchema, type SluiceConfig } from './config-schema.ts';
import { ConfigurationError } from './environment.ts';
import { faultLines, faultText } from './fault-text.ts';
import { graphqlFaults } from './graphql.ts';
import { identityFaults } from './identity-providers.ts';
import { modelNameFaults } from './model-name-faults.ts';
import { planFaults } from './plans.ts';
import { parseRedisUrl } from './redis/redis-url.ts';
import { routingFaults } from './routing-faults.ts';
import { isSet, readSecretVariable, type Variables } from './secret-files.ts';

/** For `${NAME}`; null leaves it unchanged, for commands that need no secrets. */
type Environment = Variables | null;

/**
 * Reads `sluice.yaml`.
 * @param required whether a missing file is an error
 * @param known IDs and aliases of providers; others need a base URL. Not checked if undefined
 * @throws ConfigurationError with all errors
 */
export async function readConfigFile(
  path: string,
  required: boolean,
  environment: Environment,
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
  environment: Environment,
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
function withEnvironment(config: SluiceConfig, environment: Environment, faults: string[]): SluiceConfig {
  if (environment === null) return config;
  const before = faults.length;
  const filled = (text: string, member: string): string =>
    text.replace(/\$\{(\w+)\}/g, (_whole, name: string) => {
      if (!isSet(environment, name)) faults.push(`${member}: the environment variable ${name} is not set`);
      return readSecretVariable(environment, name, (fault) => faults.push(`${member}: ${fault}`)) ?? '';
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
  const servers = redis && faults.length === before ? parseRedisUrl(redis) : null;
  if (typeof servers === 'string') faults.push(`cache.redis: ${servers}`);
  return { ...config, providers, identityProviders, cache: { ...config.cache, redis } };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
