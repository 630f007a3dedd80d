import { z } from 'zod';
import { nearest } from '../catalogue/nearest-name.ts';
import { faultText } from './fault-text.ts';

const notWhole = {
  error: ({ code }: { readonly code: string }) => (code === 'invalid_type' ? 'must be a whole number' : undefined),
};
const whole = (most: number, least = 0) => z.coerce.number(notWhole).int(notWhole).min(least).max(most);
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

/** Accepted names that a later version serves: setting one now is a fault, never silence. */
const notYet = z.never({ error: 'is not supported by this version yet; unset it' }).optional();

const environmentSchema = z.object({
  PORT: port.default(4000),
  HOST: z.string().default('127.0.0.1'),
  SLUICE_DATA_DIR: z.string().default('./data'),
  DATABASE_URL: url('postgres:', 'postgresql:').optional(),
  REDIS_URL: url('redis:', 'rediss:').optional(),
  /** Of a command that a request waits for; where absent, each use has its own. */
  SLUICE_REDIS_TIMEOUT_MS: whole(600_000, 1).optional(),
  SLUICE_SECRET: z.string().min(32, 'needs at least 32 characters; `openssl rand -base64 32` makes one').optional(),
  SLUICE_ADMIN_EMAIL: z.email().optional(),
  SLUICE_ADMIN_PASSWORD: z.string().min(8, 'needs at least 8 characters').max(256).optional(),
  SLUICE_CONFIG: z.string().optional(),
  SLUICE_SANDBOX: flag.optional(),
  SLUICE_SANDBOX_TOKENS_PER_SECOND: z.coerce.number().min(0).max(100_000).default(0),
  SLUICE_OUTBOUND_ALLOW: z
    .string()
    .default('')
    .transform(listed)
    .pipe(z.array(z.string().regex(hostAndPort, 'must be host:port'))),
  /** Holds the largest form, of 200 MB, with room to spare. */
  SLUICE_UPLOAD_MEGABYTES: whole(1_048_576, 256).default(4_096),
  SLUICE_SIGNUP: z.enum(['open', 'invite', 'off']).optional(),
  /** Whether accounts may invite people by e-mail. */
  SLUICE_INVITATIONS: flag.default(true),
  SLUICE_STORE_CONTENT: flag.default(false),
  /** Where people reach this server: links in mail, the redirects of identity providers and the way back from payments lead there. */
  SLUICE_PUBLIC_URL: url('http:', 'https:')
    .refine((text) => !URL.canParse(text) || isBareOrigin(new URL(text)), {
      error: 'must be an origin without a path, such as https://gateway.example.com',
    })
    .transform((text) => new URL(text).origin)
    .optional(),
  /** Further names by which browsers reach this server, beside loopback, any IP address and that of the public URL. */
  SLUICE_ALLOWED_HOSTS: z
    .string()
    .default('')
    .transform(listed)
    .pipe(z.array(z.string().regex(hostName, 'must be host names without ports, separated by commas'))),
  /** Where `/.well-known/security.txt` asks for reports of vulnerabilities. */
  SLUICE_SECURITY_CONTACT: z
    .string()
    .refine((text) => /^(mailto:[^\s@]+@|https:\/\/)[^\s@]+$/.test(text) && URL.canParse(text), {
      error: 'must be a mailto: or https:// URL, such as mailto:security@example.com',
    })
    .optional(),
  SLUICE_METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,}$/, 'needs at least 16 printable characters; `openssl rand -hex 32` makes one')
    .optional(),
  SLUICE_METRICS_ADDRESS: z.string().regex(hostAndPort, 'must be host:port').optional(),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_[A-Za-z0-9_]+$/, 'must be a secret or restricted key of Stripe, such as sk_live_…')
    .optional(),
  STRIPE_WEBHOOK_SECRET: z.string().startsWith('whsec_', 'must begin with whsec_').optional(),
  /** For tests alone: elsewhere the key would be told to somebody else. */
  STRIPE_API_BASE: url('http:')
    .refine((text) => !URL.canParse(text) || ['127.0.0.1', 'localhost'].includes(new URL(text).hostname), {
      error: 'is for tests: it must be on this machine',
    })
    .optional(),
  SLUICE_AUDIT_DAYS: whole(36_500).default(365),
  OIDC_ISSUER: url('https:').optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  SMTP_URL: url('smtp:', 'smtps:').optional(),
  WORKERS: whole(1_024, 1).max(1, 'above 1 is not supported by this version yet; unset it').default(1),
  TRUST_PROXY_HOPS: whole(32).default(0),
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
  /** By provider id in lower case, `_` as `-`: `AZURE_OPENAI_API_KEY` is `azure-openai`. */
  readonly providers: ReadonlyMap<string, ProviderEnvironment>;
  /** What the operator should know of and what stops nothing, a sentence each. */
  readonly warnings: readonly string[];
}

/** Every fault of the configuration, one line each, ready to print. */
export class ConfigurationError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
    );
    this.name = 'ConfigurationError';
    this.faults = faults;
  }
}

/**
 * Reads the environment once. `knownProviders` are the ids whose `_API_KEY` and `_BASE_URL` are taken;
 * anything else ending so belongs to another program. An empty value counts as unset.
 * @throws ConfigurationError with all faults together
 */
export function parseEnvironment(
  source: Readonly<Record<string, string | undefined>>,
  knownProviders: readonly string[],
): Environment {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = environmentSchema.safeParse(given, { error: faultText });
  const faults = parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  if (given.DATABASE_URL && !given.SLUICE_SECRET)
    faults.push('SLUICE_SECRET is required with DATABASE_URL; `openssl rand -base64 32` makes one');
  if (given.STRIPE_WEBHOOK_SECRET && !given.STRIPE_SECRET_KEY)
    faults.push('STRIPE_SECRET_KEY is required with STRIPE_WEBHOOK_SECRET');
  if ((given.OIDC_ISSUER === undefined) !== (given.OIDC_CLIENT_ID === undefined))
    faults.push('OIDC_ISSUER and OIDC_CLIENT_ID are needed together');
  const providers = new Map<string, ProviderEnvironment>();
  for (const id of knownProviders) {
    const prefix = id.toUpperCase().replaceAll('-', '_');
    const apiKey = given[`${prefix}_API_KEY`];
    const baseUrl = given[`${prefix}_BASE_URL`];
    if (apiKey === undefined && baseUrl === undefined) continue;
    if (baseUrl !== undefined && !url('http:', 'https:').safeParse(baseUrl).success)
      faults.push(`${prefix}_BASE_URL must be an http:// or https:// URL`);
    if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
      faults.push(`${prefix}_API_KEY holds characters that no HTTP header can carry`);
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

/** Who listens for others is called by a name that only the operator knows. */
function privateLinks({ HOST: host, SLUICE_PUBLIC_URL: publicUrl }: ParsedEnvironment): string[] {
  if (publicUrl !== undefined || host === 'localhost' || host === '::1' || host.startsWith('127.')) return [];
  return ['SLUICE_PUBLIC_URL is not set: links in mail and sign-ins at identity providers lead to this machine alone'];
}

/** A name of ours that is nobody's is a slip, most likely. */
function unknownNames(names: readonly string[]): string[] {
  const known = Object.keys(environmentSchema.shape);
  return names
    .filter((name) => name.startsWith('SLUICE_') && !known.includes(name))
    .map((name) => {
      const like = nearest(name, known);
      return `the environment has ${name}, which is not known here${like === undefined ? '' : `; did you mean ${like}?`}`;
    });
}

function paymentWarnings(given: Readonly<Record<string, string | undefined>>): string[] {
  if (given.STRIPE_SECRET_KEY === undefined || given.STRIPE_WEBHOOK_SECRET !== undefined) return [];
  return ['STRIPE_WEBHOOK_SECRET is not set: /webhooks/stripe is off, and what Stripe collects is not booked'];
}
