import { SluiceError } from '../../errors/index.ts';
import { readFilename, readLifetime, readPurpose } from '../../services/files/new-file.ts';
import { MAX_PARTS, MAX_UPLOAD_BYTES } from '../../services/files/upload-limits.ts';
import type { NewUpload, UploadCompletion } from '../../services/files/uploads.service.ts';

const ofCreation = ['filename', 'purpose', 'bytes', 'mime_type', 'expires_after'];
const ofCompletion = ['part_ids', 'md5'];

/** Reads the body of `POST /v1/uploads`. @throws SluiceError of status 400, naming the member */
export function readNewUpload(value: unknown): Omit<NewUpload, 'accountId' | 'apiKeyId'> {
  const body = readBody(value, ofCreation);
  const filename = readFilename(requireText('filename', body.filename), 'filename');
  const purpose = readPurpose(body.purpose);
  const { bytes } = body;
  if (bytes === undefined) throw new SluiceError('missing_required_parameter', { param: 'bytes' });
  if (typeof bytes !== 'number' || !Number.isSafeInteger(bytes)) throw invalid('bytes', 'it must be an integer.');
  if (bytes < 0) throw new SluiceError('integer_below_min_value', { param: 'bytes', values: { limit: 0 } });
  if (bytes > MAX_UPLOAD_BYTES)
    throw new SluiceError('integer_above_max_value', { param: 'bytes', values: { limit: MAX_UPLOAD_BYTES } });
  // Required by the reference, but files have no type.
  requireText('mime_type', body.mime_type);
  return { filename, purpose, bytes, fileSeconds: readLifetime(body.expires_after) };
}

/** Reads the body of `POST /v1/uploads/{id}/complete`. @throws SluiceError of status 400, naming the member */
export function readCompletion(value: unknown): UploadCompletion {
  const { part_ids: ids, md5 } = readBody(value, ofCompletion);
  if (ids === undefined) throw new SluiceError('missing_required_parameter', { param: 'part_ids' });
  if (!Array.isArray(ids)) throw invalid('part_ids', 'it must be an array.');
  if (ids.length > MAX_PARTS)
    throw new SluiceError('array_above_max_length', { param: 'part_ids', values: { limit: MAX_PARTS } });
  const partIds = ids.map((id: unknown, index) => {
    if (typeof id !== 'string') throw invalid(`part_ids[${index}]`, 'it must be the ID of a part.');
    return id;
  });
  if (md5 === undefined || md5 === null || md5 === '') return { partIds, md5: null };
  if (typeof md5 !== 'string' || !/^[0-9a-f]{32}$/i.test(md5)) throw invalid('md5', 'it must be 32 hex digits.');
  return { partIds, md5: md5.toLowerCase() };
}

function readBody(value: unknown, members: readonly string[]): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('body', 'it must be an object.');
  for (const param of Object.keys(value))
    if (!members.includes(param)) throw new SluiceError('unknown_parameter', { param });
  return { ...value };
}

function requireText(param: string, given: unknown): string {
  if (given === undefined || given === '') throw new SluiceError('missing_required_parameter', { param });
  if (typeof given !== 'string') throw invalid(param, 'it must be a text.');
  return given;
}

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('invalid_value', { param, values: { reason } });
}
