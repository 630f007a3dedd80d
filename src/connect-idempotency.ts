import { join } from 'node:path';
import type { Logger } from 'pino';
import { IdempotencyStore } from './gateway/idempotency/idempotency-store.ts';
import type { LimitStore } from './gateway/limits/limit-store.ts';
import { Idempotency } from './rest/idempotency/idempotency.ts';
import type { SharedAnswer } from './rest/idempotency/shared-answer.ts';

export interface ConnectedIdempotency {
  readonly idempotency: Idempotency;
  /** Waits for answers that are being written. */
  close(): Promise<void>;
}

/** Claims and answers of `Idempotency-Key`, in a folder of this process. */
export function connectIdempotency(parts: {
  readonly dataDir: string;
  readonly masterKey: string;
  readonly limits: LimitStore;
  readonly log: Logger;
}): ConnectedIdempotency {
  const { dataDir, masterKey, limits, log } = parts;
  const store = new IdempotencyStore<SharedAnswer>({ folder: join(dataDir, 'idempotency'), masterKey, log });
  return { idempotency: new Idempotency({ store, limits }), close: () => store.close() };
}
