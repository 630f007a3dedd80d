import { toSluiceError } from '../../errors/index.ts';
import { MAX_IMAGES } from '../../gateway/capabilities/images/schema.ts';
import { ImageFile } from '../../gateway/media/image-file.ts';
import type { FormInput } from '../../gateway/request-input.ts';
import { SpooledFile } from '../files/spooled-file.ts';
import { readJson, type ReadInput } from '../capability-route.ts';
import { readForm } from './read-form.ts';
import type { UploadFolder } from '../files/upload-folder.ts';

const MEGABYTE = 1024 * 1024;

/** Source: OpenAI's API document, CreateImageEditRequest: 50 MB per image. The total allows fewer than sixteen images of that size. */
const limits = {
  files: ['image', 'mask'],
  maxFiles: MAX_IMAGES + 1,
  fileBytes: 50 * MEGABYTE,
  maxFields: 64,
  fieldBytes: 256 * 1024,
  bytes: 200 * MEGABYTE,
} as const;

/** Reads a form with images, including their formats and sizes, or JSON that refers to images. */
export function readImages(folder: UploadFolder): ReadInput {
  const readFiles = readForm(folder, limits);
  return (request, key, done, fail) => {
    if (/^\s*application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
      readJson(request, key, done, fail);
      return;
    }
    readFiles(
      request,
      key,
      (input) => {
        // Only JSON is bytes.
        if (Buffer.isBuffer(input)) return;
        withImages(input)
          .then((known) => {
            // The client disconnected while the files were read.
            if (request.socket.destroyed) input.release();
            else done(known);
          })
          .catch((error: unknown) => {
            input.release();
            fail(toSluiceError(error));
          });
      },
      fail,
    );
  };
}

async function withImages(input: FormInput): Promise<FormInput> {
  const fields = await Promise.all(
    Object.entries(input.fields).map(async ([name, value]) => [name, await withFiles(value)] as const),
  );
  const { textBytes, digest } = input;
  return { fields: Object.fromEntries(fields), textBytes, digest, release: () => input.release() };
}

function withFiles(value: unknown): unknown {
  if (Array.isArray(value)) return Promise.all(value.map(withFiles));
  return value instanceof SpooledFile ? ImageFile.of(value) : value;
}
