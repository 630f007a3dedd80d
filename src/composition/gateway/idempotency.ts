import { join } from 'node:path';
import type { Logger } from 'pino';
import type { WiredRedis } from './redis.ts';
import { IdempotencyStore } from '../../gateway/idempotency/idempotency-store.ts';
import { Idempotency } from '../../rest/idempotency/idempotency.ts';
import { IDEMPOTENCY } from '../worker-folders.ts';
import type { SharedResponse } from '../../rest/idempotency/shared-response.ts';
import type { MasterKeys } from '../../secrets/master-keys.ts';

export interface WiredIdempotency {
  readonly idempotency: Idempotency;
  /** Waits until all responses are written. */
  close(): Promise<void>;
}

/** Claims and responses of `Idempotency-Key`, in a folder of this process and, with several processes, in Redis or the supervisor. */
export function wireIdempotency(dependencies: {
  readonly processDir: string;
  readonly masterKeys: MasterKeys;
  readonly shared: Pick<WiredRedis, 'limits' | 'claims'>;
  readonly log: Logger;
}): WiredIdempotency {
  const { processDir, masterKeys, log } = dependencies;
  const { limits, claims: shared } = dependencies.shared;
  const store = new IdempotencyStore<SharedResponse>({
    folder: join(processDir, IDEMPOTENCY),
    masterKeys,
    log,
    shared,
  });
  return { idempotency: new Idempotency({ store, limits }), close: () => store.close() };
}
