import { z } from 'zod';
import { redisVariables } from './variables/redis-variables.ts';
import { telemetryVariables } from './variables/telemetry-variables.ts';
import { docs, flag, integer, secret, url } from './variables/variable-types.ts';

/** Once a switch, whose values remain. */
const contentLevel = z
  .enum(['off', 'metadata', 'full', 'on', 'true', 'false', '1', '0'])
  .transform((word): 'off' | 'metadata' | 'full' => {
    if (word === 'metadata' || word === 'full') return word;
    return ['on', 'true', '1'].includes(word) ? 'full' : 'off';
  });
const port = z.coerce
  .number('must be a number from 0 to 65535')
  .int('must be a number from 0 to 65535')
  .min(0)
  .max(65_535);

const bucketName = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/;
const hostName = /^[a-z0-9](?:[a-z0-9_.-]*[a-z0-9])?$/;
const hostAndPort = /^(\[[0-9a-fA-F:]+\]|[^:\s]+):\d{1,5}$/;
const listed = (list: string): string[] =>
  list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter(Boolean);

function isBareOrigin({ pathname, search, hash, username, password }: URL): boolean {
  return pathname === '/' && `${search}${hash}${username}${password}` === '';
}

export const environmentSchema = z.object({
  PORT: port.default(4000).meta(docs('Port to listen on.')),
  HOST: z.string().default('127.0.0.1').meta(docs('Address to listen on.')),
  SLUICE_DATA_DIR: z
    .string()
    .default('./data')
    .meta(
      docs(
        'Folder of the embedded database, the usage journal, the generated secret and, without a bucket, stored files.',
      ),
    ),
  SLUICE_INSTANCES_DIR: z
    .string()
    .optional()
    .meta(
      docs(
        'Folder on a volume that all instances mount, in which each instance has its own `SLUICE_DATA_DIR`. An instance then stores the usage of others that ended for good. Requires `DATABASE_URL`. See [Several instances](operations/instances.md).',
        'none',
      ),
    ),
  SLUICE_STORAGE: z
    .enum(['folder', 's3'])
    .optional()
    .meta(
      docs(
        'Where new files, media and logged content are stored: `folder` (of the data folder) or `s3`. What was stored before is read where it is: [Storage](operations/storage.md).',
        '`s3` with `S3_BUCKET`, otherwise `folder`',
      ),
    ),
  SLUICE_RETAIN_UNTIL_ARCHIVED: flag
    .default(false)
    .meta(
      docs(
        'Whether rows of the usage log are removed, when their retention ends, only after `sluice usage archive` has archived them. See [Usage archive](operations/usage-archive.md).',
      ),
    ),
  S3_BUCKET: z
    .string()
    .regex(bucketName, 'must be the name of a bucket')
    .optional()
    .meta(docs('Bucket of an S3-compatible store.')),
  S3_ENDPOINT: url('http:', 'https:').optional().meta(docs('URL of the store.', 'Amazon S3')),
  S3_REGION: z
    .string()
    .optional()
    .meta(docs('Region of the bucket.', 'that of the AWS configuration; `us-east-1` with `S3_ENDPOINT`')),
  S3_ACCESS_KEY_ID: z
    .string()
    .optional()
    .meta(secret('Access key of the store.', "the AWS SDK's provider chain: `AWS_ACCESS_KEY_ID`, profiles, roles")),
  S3_SECRET_ACCESS_KEY: z.string().optional().meta(secret('Secret of this access key.')),
  S3_FORCE_PATH_STYLE: flag
    .default(false)
    .meta(
      docs(
        'Whether the bucket is part of the path instead of the host name. Most stores in your own network require it.',
      ),
    ),
  S3_PREFIX: z
    .string()
    .max(512)
    .regex(
      /^(?:[A-Za-z0-9!_.*'()-]+\/?)*$/,
      'must be the beginning of a key without a leading slash, such as sluice/production',
    )
    .default('')
    .transform((prefix) => (prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`))
    .meta(docs('Beginning of all keys, for a bucket that has other objects, too.')),
  S3_SERVER_SIDE_ENCRYPTION: z
    .enum(['AES256', 'aws:kms'])
    .optional()
    .meta(
      docs('Server-side encryption that is requested for each object: `AES256` or `aws:kms`.', 'that of the bucket'),
    ),
  S3_KMS_KEY_ID: z.string().optional().meta(docs('Key for `aws:kms`.', 'that of the bucket')),
  S3_PRESIGNED_DOWNLOADS: flag
    .default(false)
    .meta(
      docs(
        'Whether `GET /v1/files/{id}/content` redirects to the bucket, by a presigned URL that is valid for a minute: [Presigned downloads](operations/storage.md#presigned-downloads).',
      ),
    ),
  S3_TIMEOUT_MS: integer(600_000, 100)
    .default(15_000)
    .meta(docs('How long the store may take for a request, in ms. A request is attempted up to three times.')),
  DATABASE_URL: url('postgres:', 'postgresql:')
    .optional()
    .meta(secret('PostgreSQL 15 or newer, as a `postgres://` URL.', 'embedded database')),
  DATABASE_READ_URL: url('postgres:', 'postgresql:')
    .optional()
    .meta(
      secret(
        'Read replica of `DATABASE_URL`, which serves logs, reports and exports: [Start](operations/start.md#read-replica).',
        'the primary',
      ),
    ),
  DATABASE_POOLER: z
    .enum(['transaction'])
    .optional()
    .meta(
      docs(
        '`transaction` where `DATABASE_URL` is that of a pooler in transaction mode, such as PgBouncer: [Start](operations/start.md#pooler).',
        'none',
      ),
    ),
  ...redisVariables,
  SLUICE_SECRET: z
    .string()
    .min(32, 'must have at least 32 characters; `openssl rand -base64 32` generates one')
    .optional()
    .meta(
      secret(
        'Master key, at least 32 characters: it hashes API keys and encrypts credentials of provider connections. Required with `DATABASE_URL`.',
        'generated into the data folder',
      ),
    ),
  SLUICE_SECRET_PREVIOUS: z
    .string()
    .min(32, 'must have at least 32 characters')
    .optional()
    .meta(
      secret(
        'The master key before `SLUICE_SECRET`, during a [rotation](operations/secrets.md): what it encrypted is still readable.',
        'the file `secret.previous` of the data folder, if there is one and `SLUICE_SECRET` is not set',
      ),
    ),
  SLUICE_ADMIN_EMAIL: z
    .email()
    .optional()
    .meta(docs('E-mail address of the first owner.', 'generated at the first start')),
  SLUICE_ADMIN_PASSWORD: z
    .string()
    .min(8, 'must have at least 8 characters')
    .max(256)
    .optional()
    .meta(secret('Password of the first owner.', 'generated at the first start')),
  SLUICE_CONFIG: z
    .string()
    .optional()
    .meta(
      docs('Path of [sluice.yaml](#sluiceyaml). It is read again when it changes.', '`./sluice.yaml` if it exists'),
    ),
  SLUICE_SANDBOX: flag
    .optional()
    .meta(docs('Whether the offline sandbox provider is available.', 'on with the embedded database, otherwise off')),
  SLUICE_SANDBOX_TOKENS_PER_SECOND: z.coerce
    .number()
    .min(0)
    .max(100_000)
    .default(0)
    .meta(docs('Speed of the sandbox provider; 0 is as fast as possible.')),
  SLUICE_OUTBOUND_ALLOW: z
    .string()
    .default('')
    .transform(listed)
    .pipe(z.array(z.string().regex(hostAndPort, 'must be host:port')))
    .meta(
      docs(
        '`host:port` addresses in your network, separated by commas, that connections of accounts, webhooks and URLs in requests may use. All others there are refused.',
      ),
    ),
  // The minimum exceeds the largest form of 200 MB.
  SLUICE_UPLOAD_MEGABYTES: integer(1_048_576, 256)
    .default(4_096)
    .meta(
      docs(
        'Disk space for concurrent uploads, in MB, from their first byte to the end of their requests. Further uploads get 503 with `retry-after`.',
      ),
    ),
  SLUICE_FILES_MEGABYTES: integer(1_073_741_824, 1)
    .default(10_240)
    .meta(docs('Disk space for the files of each account (`/v1/files`), in MB.')),
  SLUICE_DATASET_ITEMS: integer(1_000_000, 0)
    .default(10_000)
    .meta(docs('How many items the datasets of each account have together. See [Datasets](operations/datasets.md).')),
  SLUICE_DATASET_MEGABYTES: integer(1_048_576, 0)
    .default(256)
    .meta(
      docs(
        'How much content the datasets of each account and their runs have together, in MB, before it is compressed.',
      ),
    ),
  SLUICE_SIGNUP: z
    .enum(['open', 'invite', 'off'])
    .optional()
    .meta(
      docs(
        'Who may sign up: `open`, `invite` or `off`. Without `SMTP_URL`, `open` applies to requests from this machine only, not through a proxy, since other addresses cannot be verified. See [Sign-in](accounts/sign-in.md).',
        '`open` with the embedded database, otherwise `invite`',
      ),
    ),
  SLUICE_INVITATIONS: flag.default(true).meta(docs('Whether accounts may invite people by e-mail.')),
  SLUICE_RESPONSES_WEBSOCKET: flag
    .default(true)
    .meta(
      docs(
        'Whether `/v1/responses` accepts WebSocket connections. Without it they are answered with 426, after which clients use POST.',
      ),
    ),
  SLUICE_STORE_CONTENT: contentLevel
    .default('off')
    .meta(
      docs(
        'What is stored of the content of requests in accounts that do not set it themselves: `off`, `metadata` or `full`. `on` means `full`. See [Content logging](operations/content-logging.md).',
      ),
    ),
  SLUICE_PUBLIC_URL: url('http:', 'https:')
    .refine((text) => !URL.canParse(text) || isBareOrigin(new URL(text)), {
      error: 'must be an origin without a path, such as https://gateway.example.com',
    })
    .transform((text) => new URL(text).origin)
    .optional()
    .meta(
      docs(
        'Public origin of this server, such as `https://gateway.example.com`, for links in mail, redirects of identity providers and Stripe. With https, cookies are `__Host-` and `Secure`, so sign-in over plain HTTP does not work, and responses have `strict-transport-security`.',
        'the address it listens on',
      ),
    ),
  SLUICE_ALLOWED_HOSTS: z
    .string()
    .default('')
    .transform(listed)
    .pipe(z.array(z.string().regex(hostName, 'must be host names without ports, separated by commas')))
    .meta(
      docs(
        'Further host names, separated by commas, for pages, sessions and sign-in, beside the host of `SLUICE_PUBLIC_URL`, loopback names and IP addresses. Others get `host_not_allowed`. API keys work under every name.',
      ),
    ),
  SLUICE_SECURITY_CONTACT: z
    .string()
    .refine((text) => /^(mailto:[^\s@]+@|https:\/\/)[^\s@]+$/.test(text) && URL.canParse(text), {
      error: 'must be a mailto: or https:// URL, such as mailto:security@example.com',
    })
    .optional()
    .meta(
      docs(
        'Contact in `/.well-known/security.txt`: a `mailto:` or `https:` URL.',
        '`mailto:security@` and the host of `SLUICE_PUBLIC_URL`',
      ),
    ),
  SLUICE_PUBLIC_STATUS: flag
    .default(false)
    .meta(
      docs(
        'Whether anyone can read `/status` and `/status.json`: the state and uptime of the operator’s providers. Without it, they require a session or a key.',
      ),
    ),
  SLUICE_METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,}$/, 'must have at least 16 printable characters; `openssl rand -hex 32` generates one')
    .optional()
    .meta(
      secret(
        'Bearer token of `/metrics`, at least 16 characters. Without it, `/metrics` can only be read from this machine, by a loopback name or address and not through a proxy.',
      ),
    ),
  SLUICE_METRICS_ADDRESS: z
    .string()
    .regex(hostAndPort, 'must be host:port')
    .optional()
    .meta(docs('Separate `host:port` for `/metrics`, such as `0.0.0.0:9464`. It requires the token if one is set.')),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_[A-Za-z0-9_]+$/, 'must be a secret or restricted Stripe key, such as sk_live_…')
    .optional()
    .meta(
      secret(
        'Secret or restricted key of [Stripe](billing/invoices.md#stripe). A test key works.',
        'none: invoices are collected manually',
      ),
    ),
  STRIPE_WEBHOOK_SECRET: z
    .string()
    .startsWith('whsec_', 'must begin with whsec_')
    .optional()
    .meta(secret('Secret of the [webhook in Stripe](billing/invoices.md#webhook-of-stripe).')),
  // For tests only: any other host would receive the secret key.
  STRIPE_API_BASE: url('http:')
    .refine((text) => !URL.canParse(text) || ['127.0.0.1', 'localhost'].includes(new URL(text).hostname), {
      error: 'is for tests only and must be an address of this machine',
    })
    .optional()
    .meta(docs('Replacement of Stripe on this machine, for tests.', 'Stripe')),
  SLUICE_AUDIT_DAYS: integer(36_500)
    .default(365)
    .meta(docs('Retention of the audit log in days; 0 keeps it for ever.')),
  OIDC_ISSUER: url('https:')
    .optional()
    .meta(
      docs(
        '[Identity provider](accounts/sign-in.md#add-an-identity-provider) with the ID `oidc`; `sluice.yaml` can have several.',
      ),
    ),
  OIDC_CLIENT_ID: z.string().optional().meta(docs('Client ID at this identity provider.')),
  OIDC_CLIENT_SECRET: z
    .string()
    .optional()
    .meta(secret('Client secret at this identity provider; none for a public client.')),
  SMTP_URL: url('smtp:', 'smtps:')
    .optional()
    .meta(
      secret(
        'Mail server: `smtp://user:password@host:587`, or `smtps://` for implicit TLS. `?from=Gateway%20%3Cgateway@example.org%3E` sets the sender.',
        'none: messages are files in `mail` of the data folder',
      ),
    ),
  WORKERS: z
    .union([z.literal('auto'), integer(256, 1)], 'must be `auto` or an integer from 1 to 256')
    .default(1)
    .meta(
      docs(
        'Number of processes that serve together, or `auto`: one per core where `DATABASE_URL` and `REDIS_URL` are set, else 1. More than 1 require `DATABASE_URL`. See [Workers](operations/workers.md).',
      ),
    ),
  DATABASE_POOL_SIZE: integer(1_000, 2)
    .optional()
    .meta(
      docs(
        'Maximum number of connections to PostgreSQL, of all workers together; each has an equal share, at least 2.',
        '10, or 5 per worker if that is more',
      ),
    ),
  TRUST_PROXY_HOPS: integer(32).default(0).meta(docs('Number of proxies whose `X-Forwarded-*` headers are trusted.')),
  SLUICE_SHUTDOWN_DELAY_MS: integer(600_000)
    .default(0)
    .meta(
      docs(
        'How long requests are still accepted after `SIGTERM`, in ms, while `/readyz` returns 503: the time in which a load balancer notices it.',
      ),
    ),
  SLUICE_DRAIN_TIMEOUT_MS: integer(3_600_000)
    .default(20_000)
    .meta(docs('How long open requests may continue after that, in ms. Then streams get a final error event.')),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .meta(docs('`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.')),
  ...telemetryVariables,
});

/** Settings that can be read from files. */
export const secretSettings: readonly string[] = Object.entries(environmentSchema.shape)
  .filter(([, schema]) => schema.meta()?.secret === true)
  .map(([name]) => name);
