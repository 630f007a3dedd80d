import type { Environment } from '../../config/environment.ts';
import { ownRedis } from '../../config/redis/redis-settings.ts';
import type { AbandonedClaims } from '../../gateway/idempotency/shared-claims.ts';

interface OpenClaims {
  readonly claims: AbandonedClaims;
  close(): void;
}

/** The idempotency keys that instances share in Redis. Null without Redis. */
export async function openAbandonedClaims(
  environment: Environment,
  log: { warn(fields: object, message: string): void },
): Promise<OpenClaims | null> {
  const servers = ownRedis(environment);
  if (servers === null) return null;
  const { RedisClaims } = await import('../../storage/redis-claims.ts');
  const claims = new RedisClaims({ servers, timeoutMs: environment.SLUICE_REDIS_TIMEOUT_MS, log });
  await claims.open();
  return { claims, close: () => claims.close() };
}
