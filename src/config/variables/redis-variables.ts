import { z } from 'zod';
import { parseRedisUrl } from '../redis/redis-url.ts';
import { docs, integer, secret } from './variable-types.ts';

const page = '[Redis](operations/redis.md)';

const redisUrl = z.string().superRefine((text, context) => {
  const parsed = parseRedisUrl(text);
  if (typeof parsed === 'string') context.addIssue({ code: 'custom', message: parsed });
});

/** Redis or Valkey. */
export const redisVariables = {
  REDIS_URL: redisUrl
    .optional()
    .meta(
      secret(
        `Redis 6.2 or Valkey, for several instances on one database: \`redis://host:6379\`, \`redis+sentinel://host:26379,host:26379/mymaster\` or \`redis+cluster://host:6379,host:6379\`, with TLS \`rediss://\` or \`rediss+…\`. See ${page}.`,
        'in memory',
      ),
    ),
  REDIS_USERNAME: z
    .string()
    .optional()
    .meta(docs('User of the access control list, if it is not part of `REDIS_URL`.', '`default`')),
  REDIS_PASSWORD: z
    .string()
    .optional()
    .meta(secret('Password of this user, if it is not part of `REDIS_URL`.', 'none')),
  REDIS_SENTINEL_USERNAME: z.string().optional().meta(docs('User of the Sentinels.', '`default`')),
  REDIS_SENTINEL_PASSWORD: z.string().optional().meta(secret('Password of this user.', 'none')),
  REDIS_TLS_CA: z
    .string()
    .optional()
    .meta(secret('Certificates that sign those of the servers, in PEM.', 'those that Node.js trusts')),
  REDIS_TLS_CERT: z.string().optional().meta(secret('Client certificate, in PEM.', 'none')),
  REDIS_TLS_KEY: z.string().optional().meta(secret('Private key of the client certificate, in PEM.', 'none')),
  REDIS_TLS_SERVERNAME: z
    .string()
    .optional()
    .meta(docs('Name in the certificates of the servers.', 'the host that is connected to')),
  SLUICE_REDIS_TIMEOUT_MS: integer(600_000, 1)
    .optional()
    .meta(
      docs(
        'How long a request waits for Redis, in ms. If Redis takes longer, it counts as unavailable until it is connected again.',
        '250 for the cache and reasoning signatures, 500 for limits and budgets, 1000 for idempotency keys (5000 for a response)',
      ),
    ),
};
