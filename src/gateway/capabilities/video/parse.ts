import { SluiceError } from '../../../errors/index.ts';
import type { UploadedFile } from '../../../providers/shared/http/uploaded-file.ts';
import type { VideoReference, VideoRequest } from '../../../providers/shared/media/video-request.ts';
import { readModelName } from '../../../protocols/canonical/validation/common-members.ts';
import { isObject } from '../../../protocols/canonical/json-members.ts';
import { compileValidator, type Validator } from '../../../protocols/canonical/validation/compile-validator.ts';
import { videoRequestSchema } from './schema.ts';

/** A request with the model name as requested. */
export interface RequestedVideo extends VideoRequest {
  readonly requestedModel: string;
}

/** OpenAI's default model, which may be served without being listed. */
export const DEFAULT_MODEL = 'sora-2';

const assertCreate: Validator<object> = compileValidator(videoRequestSchema);

export function parseVideoRequest(value: unknown): RequestedVideo {
  const requestedModel = hasNoModel(value) ? DEFAULT_MODEL : readModelName(value);
  if (!isObject(value)) throw new SluiceError('internal_error', { detail: 'a body without members has no model' });
  const { input_reference: reference, ...texts } = value;
  // A form's file is not JSON: only the other members are validated by the schema.
  assertCreate(isFile(reference) ? texts : value);
  const { prompt, seconds, size } = value;
  return {
    requestedModel,
    prompt: String(prompt),
    seconds: typeof seconds === 'string' ? seconds : null,
    size: typeof size === 'string' ? size : null,
    input_reference: readReference(reference),
  };
}

export function hasNoModel(value: unknown): boolean {
  return isObject(value) && (value.model === undefined || value.model === null);
}

/** @throws SluiceError invalid_value */
function readReference(value: unknown): VideoReference | null {
  if (value === undefined || value === null) return null;
  if (isFile(value)) return value;
  if (!isObject(value)) return null;
  const { image_url: address, file_id: file } = value;
  const [hasAddress, hasFile] = [typeof address === 'string', typeof file === 'string'];
  if (hasAddress === hasFile)
    throw new SluiceError('invalid_value', {
      param: 'input_reference',
      values: { reason: 'it must have exactly one of `image_url` and `file_id`.' },
    });
  return typeof address === 'string' ? { image_url: address } : { file_id: String(file) };
}

function isFile(value: unknown): value is UploadedFile {
  return isObject(value) && typeof value.open === 'function' && typeof value.size === 'number';
}
