import { readJson, type ReadInput } from '../capability-route.ts';
import { readForm } from '../read-form.ts';
import type { UploadFolder } from '../upload-folder.ts';

const MEGABYTE = 1024 * 1024;

/** One picture, or a short video, that guides the new one. */
const limits = {
  files: ['input_reference'],
  mostFiles: 1,
  fileBytes: 50 * MEGABYTE,
  mostFields: 16,
  fieldBytes: 21 * MEGABYTE,
  bytes: 75 * MEGABYTE,
} as const;

/** A form, perhaps with a file; or JSON. The official SDKs send a form. */
export function readVideoRequest(folder: UploadFolder): ReadInput {
  const read = readForm(folder, limits);
  return (request, done, fail) => {
    const isForm = /^\s*multipart\/form-data\s*(;|$)/i.test(request.headers['content-type'] ?? '');
    (isForm ? read : readJson)(request, done, fail);
  };
}
