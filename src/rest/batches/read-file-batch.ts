import { SluiceError } from '../../errors/index.ts';
import { batchEndpoints, type BatchEndpoint } from '../../gateway/batches/batch.ts';

export interface FileBatchRequest {
  readonly inputFileId: string;
  readonly endpoint: BatchEndpoint;
  readonly metadata: Readonly<Record<string, string>> | null;
  /** Lifetime of its output files; null where it is not given. */
  readonly outputSeconds: number | null;
}

const members = ['input_file_id', 'endpoint', 'completion_window', 'metadata', 'output_expires_after'];
/** Source: OpenAI's API document, Metadata and BatchFileExpirationAfter. */
const MAX_METADATA = { members: 16, nameLength: 64, valueLength: 512 };
const MIN_SECONDS = 3_600;
const MAX_SECONDS = 2_592_000;

/** Reads the body of `POST /v1/batches`. @throws SluiceError of status 400, naming the member */
export function readFileBatch(value: unknown): FileBatchRequest {
  if (!isObject(value)) throw invalid('body', 'it must be an object.');
  for (const param of Object.keys(value))
    if (!members.includes(param)) throw new SluiceError('unknown_parameter', { param });
  const inputFileId = requireText('input_file_id', value.input_file_id);
  const named = requireText('endpoint', value.endpoint);
  // Azure's clients omit the version.
  const endpoint = batchEndpoints.find((each) => each === named || each === `/v1${named}`);
  if (endpoint === undefined) throw invalid('endpoint', `it must be one of ${batchEndpoints.join(', ')}.`);
  if (requireText('completion_window', value.completion_window) !== '24h')
    throw invalid('completion_window', "it must be '24h'.");
  return {
    inputFileId,
    endpoint,
    metadata: readMetadata(value.metadata),
    outputSeconds: readExpiry(value.output_expires_after),
  };
}

function readMetadata(given: unknown): Record<string, string> | null {
  if (given === undefined || given === null) return null;
  if (!isObject(given)) throw invalid('metadata', 'it must be an object.');
  const entries = Object.entries(given);
  if (entries.length > MAX_METADATA.members)
    throw new SluiceError('object_above_max_properties', {
      param: 'metadata',
      values: { limit: MAX_METADATA.members, length: entries.length },
    });
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (name.length > MAX_METADATA.nameLength)
        throw invalid('metadata', `a name has more than ${MAX_METADATA.nameLength} characters.`);
      if (typeof value !== 'string' || value.length > MAX_METADATA.valueLength)
        throw invalid(`metadata.${name}`, `it must be a text of at most ${MAX_METADATA.valueLength} characters.`);
      return [storable(name), storable(value)];
    }),
  );
}

/** As `jsonb` can store it. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{fffd}');
}

function readExpiry(given: unknown): number | null {
  if (given === undefined || given === null) return null;
  if (!isObject(given)) throw invalid('output_expires_after', 'it must be an object.');
  const { anchor, seconds } = given;
  if (anchor !== 'created_at') throw invalid('output_expires_after.anchor', "it must be 'created_at'.");
  const isWhole = typeof seconds === 'number' && Number.isInteger(seconds);
  if (!isWhole || seconds < MIN_SECONDS || seconds > MAX_SECONDS)
    throw invalid('output_expires_after.seconds', `it must be an integer from ${MIN_SECONDS} to ${MAX_SECONDS}.`);
  return seconds;
}

function requireText(param: string, given: unknown): string {
  if (given === undefined) throw new SluiceError('missing_required_parameter', { param });
  if (typeof given !== 'string') throw invalid(param, 'it must be a text.');
  return given;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('invalid_value', { param, values: { reason } });
}
