import type { BatchesService } from '../../services/batches/batches.service.ts';
import type { FilesService } from '../../services/files/files.service.ts';
import type { ObjectAccess } from '../authentication/object-access.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';

/** What the routes of batches need. */
export interface BatchRouteDependencies {
  readonly batches: BatchesService;
  /** Input files. */
  readonly files: Pick<FilesService, 'get'>;
  readonly access: ObjectAccess;
  readonly idempotency: Idempotency;
}
