import { SluiceError } from '../../errors/index.ts';

export type FeedbackValue = boolean | number | string;

/** What a client says of a request or a session. */
export interface GivenFeedback {
  readonly name: string;
  readonly value: FeedbackValue;
  /** Null for none. */
  readonly comment: string | null;
}

const DEFAULT_FEEDBACK_NAME = 'feedback';
export const MAX_FEEDBACK_NAME = 64;
/** Characters. */
export const MAX_CATEGORY = 256;
const MAX_COMMENT_BYTES = 4_096;
const namePattern = /^[\w.-]+$/;

/** The members of feedback, whichever API they are from. @throws SluiceError missing_required_parameter | invalid_value */
export function readFeedback({ name, value, comment }: Readonly<Record<string, unknown>>): GivenFeedback {
  return { name: readName(name), value: readValue(value), comment: readComment(comment) };
}

function readName(name: unknown): string {
  if (name === undefined || name === null) return DEFAULT_FEEDBACK_NAME;
  if (typeof name === 'string' && name.length <= MAX_FEEDBACK_NAME && namePattern.test(name)) return name;
  throw invalid('name', `it must have 1 to ${MAX_FEEDBACK_NAME} letters, digits, "_", "." and "-".`);
}

function readValue(value: unknown): FeedbackValue {
  if (value === undefined || value === null) throw new SluiceError('missing_required_parameter', { param: 'value' });
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'string' && value.trim() !== '' && value.length <= MAX_CATEGORY) return storable('value', value);
  throw invalid('value', `it must be a boolean, a number or a category of 1 to ${MAX_CATEGORY} characters.`);
}

function readComment(comment: unknown): string | null {
  if (comment === undefined || comment === null || comment === '') return null;
  if (typeof comment !== 'string') throw invalid('comment', 'it must be a string.');
  if (Buffer.byteLength(comment) > MAX_COMMENT_BYTES)
    throw invalid('comment', `it must have at most ${MAX_COMMENT_BYTES} bytes.`);
  return storable('comment', comment);
}

/** PostgreSQL stores neither NUL nor a lone surrogate. */
function storable(param: string, text: string): string {
  if (text.includes('\0') || !text.isWellFormed()) throw invalid(param, 'it contains a NUL or a lone surrogate.');
  return text;
}

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('invalid_value', { param, values: { reason } });
}
