import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { z } from 'zod';
import { nearest } from '../catalogue/nearest-name.ts';
import { environmentSchema, secretSettings } from './environment-schema.ts';
import { faultText } from './fault-text.ts';
import { redisFaults } from './redis/redis-settings.ts';
import { fileVariable, isSet, withSecretFiles, type Variables } from './secret-files.ts';
import { telemetryFaults } from './variables/telemetry-settings.ts';
import { url } from './variables/variable-types.ts';

type ParsedEnvironment = z.infer<typeof environmentSchema>;

/** A provider named in the environment: `<PROVIDER>_API_KEY`, `<PROVIDER>_BASE_URL`. */
export interface ProviderEnvironment {
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
}

export interface Environment extends Omit<
  ParsedEnvironment,
  'SLUICE_SANDBOX' | 'SLUICE_SIGNUP' | 'SLUICE_STORAGE' | 'WORKERS' | 'DATABASE_POOL_SIZE'
> {
  readonly SLUICE_STORAGE: 'folder' | 's3';
  /** Without `auto`. */
  readonly WORKERS: number;
  /** Of all workers together. */
  readonly DATABASE_POOL_SIZE: number;
  readonly SLUICE_SANDBOX: boolean;
  readonly SLUICE_SIGNUP: 'open' | 'invite' | 'off';
  /** By provider ID in lower case, with `-` for `_`: `AZURE_OPENAI_API_KEY` belongs to `azure-openai`. */
  readonly providers: ReadonlyMap<string, ProviderEnvironment>;
  /** Warnings for the operator. They do not prevent the start. */
  readonly warnings: readonly string[];
}

/** All errors of the configuration, one printable line each. */
export class ConfigurationError extends Error {
  readonly faults: readonly string[];
  /** Beside the errors: an unknown name may be why a required variable is missing. */
  readonly warnings: readonly string[];

  constructor(faults: readonly string[], warnings: readonly string[] = []) {
    const title = `The configuration has ${faults.length === 1 ? '1 error' : `${faults.length} errors`}:`;
    super(
      [title, ...faults.map((fault) => `  - ${fault}`), ...warnings.map((warning) => `  - warning: ${warning}`)].join(
        '\n',
      ),
    );
    this.name = 'ConfigurationError';
    this.faults = faults;
    this.warnings = warnings;
  }
}

/**
 * Parses the environment. `_API_KEY` and `_BASE_URL` are only read for the IDs in `knownProviders`; other variables with these
 * suffixes belong to other programs. An empty value counts as unset. Secrets can be in files.
 * @throws ConfigurationError with all errors
 */
export function parseEnvironment(source: Variables, knownProviders: readonly string[]): Environment {
  const faults: string[] = [];
  const apiKeys = knownProviders.map((id) => `${prefixOf(id)}_API_KEY`);
  const values = withSecretFiles(source, [...secretSettings, ...apiKeys], (fault) => faults.push(fault));
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ''));
  const shown = (name: string): string => (source[name] ? name : fileVariable(name));
  const parsed = environmentSchema.safeParse(given, { error: faultText });
  for (const { path, message } of parsed.error?.issues ?? []) {
    const name = path.join('.');
    faults.push(`${secretSettings.includes(name) ? shown(name) : name} ${message}`);
  }
  if (isSet(source, 'DATABASE_URL') && !isSet(source, 'SLUICE_SECRET'))
    faults.push('SLUICE_SECRET is required with DATABASE_URL; `openssl rand -base64 32` generates one');
  if (isSet(source, 'DATABASE_READ_URL') && !isSet(source, 'DATABASE_URL'))
    faults.push('DATABASE_URL is required with DATABASE_READ_URL');
  if (isSet(source, 'STRIPE_WEBHOOK_SECRET') && !isSet(source, 'STRIPE_SECRET_KEY'))
    faults.push('STRIPE_SECRET_KEY is required with STRIPE_WEBHOOK_SECRET');
  if ((given.OIDC_ISSUER === undefined) !== (given.OIDC_CLIENT_ID === undefined))
    faults.push('OIDC_ISSUER and OIDC_CLIENT_ID must be set together');
  faults.push(...storageFaults(given));
  faults.push(...redisFaults(given));
  if (parsed.success) faults.push(...telemetryFaults(parsed.data));
  if (parsed.success) faults.push(...workerFaults(parsed.data), ...instanceFaults(parsed.data));
  const providers = new Map<string, ProviderEnvironment>();
  for (const id of knownProviders) {
    const prefix = prefixOf(id);
    const apiKey = given[`${prefix}_API_KEY`];
    const baseUrl = given[`${prefix}_BASE_URL`];
    if (apiKey === undefined && baseUrl === undefined) continue;
    if (baseUrl !== undefined && !url('http:', 'https:').safeParse(baseUrl).success)
      faults.push(`${prefix}_BASE_URL must be an http:// or https:// URL`);
    if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
      faults.push(`${shown(`${prefix}_API_KEY`)} contains characters that are not allowed in HTTP headers`);
    providers.set(id, { apiKey, baseUrl });
  }
  if (!parsed.success || faults.length > 0) throw new ConfigurationError(faults, unknownNames(Object.keys(given)));
  const embedded = parsed.data.DATABASE_URL === undefined;
  return {
    ...parsed.data,
    SLUICE_SANDBOX: parsed.data.SLUICE_SANDBOX ?? embedded,
    SLUICE_STORAGE: parsed.data.SLUICE_STORAGE ?? (parsed.data.S3_BUCKET === undefined ? 'folder' : 's3'),
    SLUICE_SIGNUP: parsed.data.SLUICE_SIGNUP ?? (embedded ? 'open' : 'invite'),
    WORKERS: workersOf(parsed.data),
    DATABASE_POOL_SIZE: poolSizeOf(parsed.data),
    providers,
    warnings: [...unknownNames(Object.keys(given)), ...paymentWarnings(given), ...privateLinks(parsed.data)],
  };
}

/** Of the variables of a provider. */
function prefixOf(id: string): string {
  return id.toUpperCase().replaceAll('-', '_');
}

const s3Options = [
  'S3_ENDPOINT',
  'S3_REGION',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'S3_PREFIX',
  'S3_SERVER_SIDE_ENCRYPTION',
  'S3_KMS_KEY_ID',
];

/** What contradicts itself in the variables of the storage. */
function storageFaults(given: Readonly<Record<string, string | undefined>>): string[] {
  const faults: string[] = [];
  const needing = given.S3_BUCKET === undefined ? s3Options.filter((name) => given[name] !== undefined) : [];
  if (given.S3_BUCKET === undefined && given.SLUICE_STORAGE === 's3') needing.unshift('SLUICE_STORAGE=s3');
  if (needing.length > 0) faults.push(`S3_BUCKET is required with ${needing.join(', ')}`);
  if ((given.S3_ACCESS_KEY_ID === undefined) !== (given.S3_SECRET_ACCESS_KEY === undefined))
    faults.push('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set together');
  if (given.S3_KMS_KEY_ID !== undefined && given.S3_SERVER_SIDE_ENCRYPTION !== 'aws:kms')
    faults.push('S3_KMS_KEY_ID requires S3_SERVER_SIDE_ENCRYPTION=aws:kms');
  return faults;
}

const DEFAULT_POOL_SIZE = 10;
const DEFAULT_WORKER_CONNECTIONS = 5;
const MIN_WORKER_CONNECTIONS = 2;

/** Without Redis some state is per worker: `auto` does not choose that. */
function workersOf({ WORKERS, DATABASE_URL, REDIS_URL }: ParsedEnvironment): number {
  if (WORKERS !== 'auto') return WORKERS;
  return DATABASE_URL === undefined || REDIS_URL === undefined ? 1 : availableParallelism();
}

function poolSizeOf(parsed: ParsedEnvironment): number {
  return parsed.DATABASE_POOL_SIZE ?? Math.max(DEFAULT_POOL_SIZE, workersOf(parsed) * DEFAULT_WORKER_CONNECTIONS);
}

function workerFaults(parsed: ParsedEnvironment): string[] {
  const workers = workersOf(parsed);
  if (workers === 1) return [];
  const faults: string[] = [];
  if (parsed.DATABASE_URL === undefined)
    faults.push(
      `WORKERS is ${workers}, but the embedded database can be opened by one process only; set DATABASE_URL to a PostgreSQL server, or WORKERS to 1`,
    );
  const needed = workers * MIN_WORKER_CONNECTIONS;
  if (poolSizeOf(parsed) < needed)
    faults.push(`DATABASE_POOL_SIZE must be at least ${needed}, ${MIN_WORKER_CONNECTIONS} per worker`);
  return faults;
}

function instanceFaults({ SLUICE_INSTANCES_DIR, SLUICE_DATA_DIR, DATABASE_URL }: ParsedEnvironment): string[] {
  if (SLUICE_INSTANCES_DIR === undefined) return [];
  const parent = resolve(SLUICE_INSTANCES_DIR);
  return [
    ...(DATABASE_URL === undefined ? ['DATABASE_URL is required with SLUICE_INSTANCES_DIR'] : []),
    ...(dirname(resolve(SLUICE_DATA_DIR)) === parent
      ? []
      : [`SLUICE_DATA_DIR must be a folder in SLUICE_INSTANCES_DIR, such as ${parent}/gateway-1`]),
  ];
}

/** A server for other machines has a public name that only the operator knows. */
function privateLinks({ HOST: host, SLUICE_PUBLIC_URL: publicUrl }: ParsedEnvironment): string[] {
  if (publicUrl !== undefined || host === 'localhost' || host === '::1' || host.startsWith('127.')) return [];
  return ['SLUICE_PUBLIC_URL is not set: links in mail and redirects of identity providers only work on this machine'];
}

/** Variables that the documentation has clients read. */
const ofClients: ReadonlySet<string> = new Set(['SLUICE_API_KEY']);

/** An unknown SLUICE_ variable is most likely a typing error. */
function unknownNames(names: readonly string[]): string[] {
  const known = [...Object.keys(environmentSchema.shape), ...secretSettings.map(fileVariable)];
  return names
    .filter((name) => name.startsWith('SLUICE_') && !known.includes(name) && !ofClients.has(name))
    .map((name) => {
      const like = nearest(name, known);
      return `unknown environment variable ${name}${like === undefined ? '' : `; did you mean ${like}?`}`;
    });
}

function paymentWarnings(given: Variables): string[] {
  if (given.STRIPE_SECRET_KEY === undefined || given.STRIPE_WEBHOOK_SECRET !== undefined) return [];
  return [
    'STRIPE_WEBHOOK_SECRET is not set: /webhooks/stripe is disabled, and payments through Stripe are not recorded',
  ];
}
