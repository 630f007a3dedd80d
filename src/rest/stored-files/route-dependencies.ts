import type { FilesService } from '../../services/files/files.service.ts';
import type { UploadsService } from '../../services/files/uploads.service.ts';
import type { ObjectAccess } from '../authentication/object-access.ts';
import type { UploadFolder } from '../files/upload-folder.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';

/** What the routes of files need. */
export interface FileRouteDependencies {
  readonly files: FilesService;
  readonly fileUploads: UploadsService;
  readonly access: ObjectAccess;
  /** Where the files of forms are written as they arrive. */
  readonly uploads: UploadFolder;
  readonly idempotency: Idempotency;
}
