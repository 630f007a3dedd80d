import { SluiceError } from '../../errors/index.ts';

/** What clients may upload. Source: OpenAI's API document, CreateFileRequest; `batch_output` is written by batches. */
export const uploadPurposes = ['assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals'] as const;
export const filePurposes = [...uploadPurposes, 'batch_output'] as const;
export type UploadPurpose = (typeof uploadPurposes)[number];
export type FilePurpose = (typeof filePurposes)[number];

const MIN_LIFETIME_SECONDS = 3_600;
const MAX_LIFETIME_SECONDS = 2_592_000;
/** As OpenAI keeps the files of batches. */
const BATCH_LIFETIME_SECONDS = 30 * 86_400;
const MAX_FILENAME_LENGTH = 512;

export interface NewFile {
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly filename: string;
  readonly purpose: FilePurpose;
  /** From its creation on. Null: it is kept until it is deleted. */
  readonly lifetimeSeconds: number | null;
}

/** @throws SluiceError missing_required_parameter | invalid_value */
export function readPurpose(given: unknown): UploadPurpose {
  if (given === undefined || given === '') throw new SluiceError('missing_required_parameter', { param: 'purpose' });
  const purpose = uploadPurposes.find((name) => name === given);
  if (purpose === undefined) throw invalid('purpose', `it must be one of ${uploadPurposes.join(', ')}.`);
  return purpose;
}

/** @throws SluiceError invalid_value */
export function readListedPurpose(given: unknown): FilePurpose | null {
  if (given === undefined) return null;
  const purpose = filePurposes.find((name) => name === given);
  if (purpose === undefined) throw invalid('purpose', `it must be one of ${filePurposes.join(', ')}.`);
  return purpose;
}

/** Of a row. */
export function readFilePurpose(given: string): FilePurpose {
  const purpose = filePurposes.find((name) => name === given);
  if (purpose === undefined) throw new Error('The purpose of the stored file is unknown.');
  return purpose;
}

/** @param seconds null for the default of the purpose */
export function lifetimeOf(seconds: number | null, purpose: FilePurpose): number | null {
  return seconds ?? (purpose === 'batch' ? BATCH_LIFETIME_SECONDS : null);
}

/**
 * Seconds; null where they are not given.
 * @param after `expires_after` of the request
 * @throws SluiceError invalid_value
 */
export function readLifetime(after: unknown): number | null {
  if (after === undefined || after === null) return null;
  const { anchor, seconds }: { anchor?: unknown; seconds?: unknown } = typeof after === 'object' ? after : {};
  if (anchor !== 'created_at') throw invalid('expires_after[anchor]', "it must be 'created_at'.");
  const count = typeof seconds === 'string' && /^\d{1,9}$/.test(seconds) ? Number(seconds) : seconds;
  const isValid =
    typeof count === 'number' &&
    Number.isSafeInteger(count) &&
    count >= MIN_LIFETIME_SECONDS &&
    count <= MAX_LIFETIME_SECONDS;
  if (!isValid)
    throw invalid(
      'expires_after[seconds]',
      `it must be an integer from ${MIN_LIFETIME_SECONDS} to ${MAX_LIFETIME_SECONDS}.`,
    );
  return count;
}

/** A name as it can be stored and sent in a header: without its folder and control characters. */
export function readFilename(given: string, param = 'file'): string {
  const name = given.replace(/^.*[/\\]/, '').replaceAll(/[\p{Cc}\p{Cs}]/gu, '');
  if (name === '') throw invalid(param, 'it must have a filename.');
  if (name.length > MAX_FILENAME_LENGTH)
    throw invalid(param, `its name is longer than ${MAX_FILENAME_LENGTH} characters.`);
  return name;
}

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('invalid_value', { param, values: { reason } });
}
