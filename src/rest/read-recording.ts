import { SluiceError, toSluiceError } from '../errors/index.ts';
import { audioDuration } from '../gateway/media/audio-duration.ts';
import { Recording } from '../gateway/media/recording.ts';
import type { FormInput } from '../gateway/request-input.ts';
import type { ReadInput } from './capability-route.ts';
import { formBytes, readForm } from './read-form.ts';
import { SpooledFile } from './spooled-file.ts';
import type { UploadFolder } from './upload-folder.ts';

/** As OpenAI has it: 25 MB. */
const FILE_BYTES = 25 * 1024 * 1024;

const limits = {
  files: ['file'],
  mostFiles: 1,
  fileBytes: FILE_BYTES,
  mostFields: 1_000,
  fieldBytes: 512 * 1024,
  bytes: formBytes(1, FILE_BYTES) + 3 * 1024 * 1024,
} as const;

/** A form with a recording, which is measured. */
export function readRecording(folder: UploadFolder): ReadInput {
  const readFile = readForm(folder, limits);
  return (request, key, done, fail) => {
    const take = async (input: FormInput): Promise<void> => {
      const { file } = input.fields;
      const known = file instanceof SpooledFile ? { ...input.fields, file: await measured(file) } : input.fields;
      // It left while its file was measured.
      if (request.socket.destroyed) input.release();
      else done({ fields: known, textBytes: input.textBytes, digest: input.digest, release: () => input.release() });
    };
    readFile(
      request,
      key,
      (input) => {
        // Only JSON is bytes.
        if (Buffer.isBuffer(input)) return;
        take(input).catch((error: unknown) => {
          input.release();
          fail(toSluiceError(error));
        });
      },
      fail,
    );
  };
}

async function measured(file: SpooledFile): Promise<Recording> {
  const seconds = await audioDuration(file.path).catch((error: unknown) => toSluiceError(error));
  // A disk that cannot be read is no fault of the request.
  if (seconds instanceof SluiceError && seconds.status >= 500) throw seconds;
  return new Recording(file, seconds);
}
