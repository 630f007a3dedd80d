import { z } from 'zod';
import { nearest } from '../catalogue/nearest-name.ts';
import { faultText } from './fault-text.ts';

const notInteger = {
  error: ({ code }: { readonly code: string }) => (code === 'invalid_type' ? 'must be an integer' : undefined),
};
const integer = (max: number, min = 0) => z.coerce.number(notInteger).int(notInteger).min(min).max(max);
const flag = z.enum(['on', 'off', 'true', 'false', '1', '0']).transform((word) => ['on', 'true', '1'].includes(word));
const port = z.coerce
  .number('must be a number from 0 to 65535')
  .int('must be a number from 0 to 65535')
  .min(0)
  .max(65_535);
const url = (...protocols: string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    error: `must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`,
  });

const hostName = /^[a-z0-9](?:[a-z0-9_.-]*[a-z0-9])?$/;
const hostAndPort = /^(\[[0-9a-fA-F:]+\]|[^:\s]+):\d{1,5}$/;
const listed = (list: string): string[] =>
  list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter(Boolean);

/** Reserved names: setting one is an error instead of being ignored. */
const notYet = z.never({ error: 'is not supported by this version yet; unset it' }).optional();

const environmentSchema = z.object({
  PORT: port.default(4000),
  HOST: z.string().default('127.0.0.1'),
  SLUICE_DATA_DIR: z.string().default('./data'),
  DATABASE_URL: url('postgres:', 'postgresql:').optional(),
  REDIS_URL: url('redis:', 'rediss:').optional(),
  /** Timeout of Redis commands that a request waits for. Each use has its own default. */
  SLUICE_REDIS_TIMEOUT_MS: integer(600_000, 1).optional(),
  SLUICE_SECRET: z
    .string()
    .min(32, 'must have at least 32 characters; `openssl rand -base64 32` generates one')
    .optional(),
  SLUICE_ADMIN_EMAIL: z.email().optional(),
  SLUICE_ADMIN_PASSWORD: z.string().min(8, 'must have at least 8 characters').max(256).optional(),
  SLUICE_CONFIG: z.string().optional(),
  SLUICE_SANDBOX: flag.optional(),
  SLUICE_SANDBOX_TOKENS_PER_SECOND: z.coerce.number().min(0).max(100_000).default(0),
  SLUICE_OUTBOUND_ALLOW: z
    .string()
    .default('')
    .transform(listed)
    .pipe(z.array(z.string().regex(hostAndPort, 'must be host:port'))),
  /** The minimum exceeds the largest form of 200 MB. */
  SLUICE_UPLOAD_MEGABYTES: integer(1_048_576, 256).default(4_096),
  SLUICE_SIGNUP: z.enum(['open', 'invite', 'off']).optional(),
  /** Whether accounts may invite people by e-mail. */
  SLUICE_INVITATIONS: flag.default(true),
  SLUICE_STORE_CONTENT: flag.default(false),
  /** Public origin for links in mail, redirects of identity providers and return URLs of payments. */
  SLUICE_PUBLIC_URL: url('http:', 'https:')
    .refine((text) => !URL.canParse(text) || isBareOrigin(new URL(text)), {
      error: 'must be an origin without a path, such as https://gateway.example.com',
    })
    .transform((text) => new URL(text).origin)
    .optional(),
  /** Allowed host names in addition to loopback names, IP addresses and the host of the public URL. */
  SLUICE_ALLOWED_HOSTS: z
    .string()
    .default('')
    .transform(listed)
    .pipe(z.array(z.string().regex(hostName, 'must be host names without ports, separated by commas'))),
  /** Contact in `/.well-known/security.txt`. */
  SLUICE_SECURITY_CONTACT: z
    .string()
    .refine((text) => /^(mailto:[^\s@]+@|https:\/\/)[^\s@]+$/.test(text) && URL.canParse(text), {
      error: 'must be a mailto: or https:// URL, such as mailto:security@example.com',
    })
    .optional(),
  SLUICE_METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,}$/, 'must have at least 16 printable characters; `openssl rand -hex 32` generates one')
    .optional(),
  SLUICE_METRICS_ADDRESS: z.string().regex(hostAndPort, 'must be host:port').optional(),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_[A-Za-z0-9_]+$/, 'must be a secret or restricted Stripe key, such as sk_live_…')
    .optional(),
  STRIPE_WEBHOOK_SECRET: z.string().startsWith('whsec_', 'must begin with whsec_').optional(),
  /** For tests only: any other host would receive the secret key. */
  STRIPE_API_BASE: url('http:')
    .refine((text) => !URL.canParse(text) || ['127.0.0.1', 'localhost'].includes(new URL(text).hostname), {
      error: 'is for tests only and must be an address of this machine',
    })
    .optional(),
  SLUICE_AUDIT_DAYS: integer(36_500).default(365),
  OIDC_ISSUER: url('https:').optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  SMTP_URL: url('smtp:', 'smtps:').optional(),
  WORKERS: integer(1_024, 1).max(1, 'above 1 is not supported by this version yet; unset it').default(1),
  TRUST_PROXY_HOPS: integer(32).default(0),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: notYet,
});

function isBareOrigin({ pathname, search, hash, username, password }: URL): boolean {
  return pathname === '/' && `${search}${hash}${username}${password}` === '';
}

type ParsedEnvironment = z.infer<typeof environmentSchema>;

/** A provider named in the environment: `<PROVIDER>_API_KEY`, `<PROVIDER>_BASE_URL`. */
export interface ProviderEnvironment {
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
}

export interface Environment extends Omit<
  ParsedEnvironment,
  'OTEL_EXPORTER_OTLP_ENDPOINT' | 'SLUICE_SANDBOX' | 'SLUICE_SIGNUP'
> {
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

  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length === 1 ? '1 error' : `${faults.length} errors`}:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
    );
    this.name = 'ConfigurationError';
    this.faults = faults;
  }
}

/**
 * Parses the environment. `_API_KEY` and `_BASE_URL` are only read for the IDs in `knownProviders`; other variables with these
 * suffixes belong to other programs. An empty value counts as unset.
 * @throws ConfigurationError with all errors
 */
export function parseEnvironment(
  source: Readonly<Record<string, string | undefined>>,
  knownProviders: readonly string[],
): Environment {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = environmentSchema.safeParse(given, { error: faultText });
  const faults = parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  if (given.DATABASE_URL && !given.SLUICE_SECRET)
    faults.push('SLUICE_SECRET is required with DATABASE_URL; `openssl rand -base64 32` generates one');
  if (given.STRIPE_WEBHOOK_SECRET && !given.STRIPE_SECRET_KEY)
    faults.push('STRIPE_SECRET_KEY is required with STRIPE_WEBHOOK_SECRET');
  if ((given.OIDC_ISSUER === undefined) !== (given.OIDC_CLIENT_ID === undefined))
    faults.push('OIDC_ISSUER and OIDC_CLIENT_ID must be set together');
  const providers = new Map<string, ProviderEnvironment>();
  for (const id of knownProviders) {
    const prefix = id.toUpperCase().replaceAll('-', '_');
    const apiKey = given[`${prefix}_API_KEY`];
    const baseUrl = given[`${prefix}_BASE_URL`];
    if (apiKey === undefined && baseUrl === undefined) continue;
    if (baseUrl !== undefined && !url('http:', 'https:').safeParse(baseUrl).success)
      faults.push(`${prefix}_BASE_URL must be an http:// or https:// URL`);
    if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
      faults.push(`${prefix}_API_KEY contains characters that are not allowed in HTTP headers`);
    providers.set(id, { apiKey, baseUrl });
  }
  if (!parsed.success || faults.length > 0) throw new ConfigurationError(faults);
  const embedded = parsed.data.DATABASE_URL === undefined;
  return {
    ...parsed.data,
    SLUICE_SANDBOX: parsed.data.SLUICE_SANDBOX ?? embedded,
    SLUICE_SIGNUP: parsed.data.SLUICE_SIGNUP ?? (embedded ? 'open' : 'invite'),
    providers,
    warnings: [...unknownNames(Object.keys(given)), ...paymentWarnings(given), ...privateLinks(parsed.data)],
  };
}

/** A server for other machines has a public name that only the operator knows. */
function privateLinks({ HOST: host, SLUICE_PUBLIC_URL: publicUrl }: ParsedEnvironment): string[] {
  if (publicUrl !== undefined || host === 'localhost' || host === '::1' || host.startsWith('127.')) return [];
  return ['SLUICE_PUBLIC_URL is not set: links in mail and redirects of identity providers only work on this machine'];
}

/** An unknown SLUICE_ variable is most likely a typing error. */
function unknownNames(names: readonly string[]): string[] {
  const known = Object.keys(environmentSchema.shape);
  return names
    .filter((name) => name.startsWith('SLUICE_') && !known.includes(name))
    .map((name) => {
      const like = nearest(name, known);
      return `unknown environment variable ${name}${like === undefined ? '' : `; did you mean ${like}?`}`;
    });
}

function paymentWarnings(given: Readonly<Record<string, string | undefined>>): string[] {
  if (given.STRIPE_SECRET_KEY === undefined || given.STRIPE_WEBHOOK_SECRET !== undefined) return [];
  return [
    'STRIPE_WEBHOOK_SECRET is not set: /webhooks/stripe is disabled, and payments through Stripe are not recorded',
  ];
}
