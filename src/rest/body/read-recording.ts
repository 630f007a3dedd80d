import { SluiceError, toSluiceError } from '../../errors/index.ts';
import { audioDuration } from '../../gateway/media/audio-duration.ts';
import { Recording } from '../../gateway/media/recording.ts';
import type { FormInput } from '../../gateway/request-input.ts';
import type { ReadInput } from '../capability-route.ts';
import { formBytes, readForm } from './read-form.ts';
import { SpooledFile } from '../files/spooled-file.ts';
import type { UploadFolder } from '../files/upload-folder.ts';

/** OpenAI's limit. */
const FILE_BYTES = 25 * 1024 * 1024;

const limits = {
  files: ['file'],
  maxFiles: 1,
  fileBytes: FILE_BYTES,
  maxFields: 1_000,
  fieldBytes: 512 * 1024,
  bytes: formBytes(1, FILE_BYTES) + 3 * 1024 * 1024,
} as const;

/** Reads a form with an audio file, including its duration. */
export function readRecording(folder: UploadFolder): ReadInput {
  const readFile = readForm(folder, limits);
  return (request, key, done, fail) => {
    const finish = async (input: FormInput): Promise<void> => {
      const { file } = input.fields;
      const known = file instanceof SpooledFile ? { ...input.fields, file: await measured(file) } : input.fields;
      // The client disconnected while the duration was read.
      if (request.socket.destroyed) input.release();
      else done({ fields: known, textBytes: input.textBytes, digest: input.digest, release: () => input.release() });
    };
    readFile(
      request,
      key,
      (input) => {
        // Only JSON is bytes.
        if (Buffer.isBuffer(input)) return;
        finish(input).catch((error: unknown) => {
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
  // A read error of the disk is not an error of the request.
  if (seconds instanceof SluiceError && seconds.status >= 500) throw seconds;
  return new Recording(file, seconds);
}
