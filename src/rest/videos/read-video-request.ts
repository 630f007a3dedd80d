import { readJson, type ReadInput } from '../capability-route.ts';
import { readForm } from '../body/read-form.ts';
import type { UploadFolder } from '../files/upload-folder.ts';

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;

/**
 * One reference image or short video: a file, or a `data:` URL, which is held in memory. The longest other text is a prompt of
 * 32,000 characters with up to four bytes each.
 */
const limits = {
  files: ['input_reference'],
  maxFiles: 1,
  fileBytes: 50 * MEGABYTE,
  maxFields: 16,
  fieldBytes: 128 * KILOBYTE,
  longFields: ['input_reference[image_url]'],
  longFieldBytes: 21 * MEGABYTE,
  bytes: 75 * MEGABYTE,
} as const;

/** Reads a form, with or without a file, or JSON. The official SDKs send a form. */
export function readVideoRequest(folder: UploadFolder): ReadInput {
  const read = readForm(folder, limits);
  return (request, key, done, fail) => {
    const isForm = /^\s*multipart\/form-data\s*(;|$)/i.test(request.headers['content-type'] ?? '');
    (isForm ? read : readJson)(request, key, done, fail);
  };
}
