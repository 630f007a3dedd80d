import type { BatchesService } from '../../services/batches/batches.service.ts';
import type { ObjectAccess } from '../authentication/object-access.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';

/** What the routes of batches need. */
export interface BatchRouteDependencies {
  readonly batches: BatchesService;
  readonly access: ObjectAccess;
  readonly idempotency: Idempotency;
}
