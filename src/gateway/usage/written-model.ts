import { isObject } from '../../protocols/canonical/json-members.ts';
import { tryParse } from '../json-text.ts';
import type { RequestInput } from '../request-input.ts';

/** Longer bodies are searched, not parsed: a rejected request must cost little. */
const MAX_PARSED_BYTES = 64 * 1024;
/** At either end of a body: a model is its first or last member. */
const SEARCHED_BYTES = 16 * 1024;
/** A member that is not part of a text, where its quotes are escaped. */
const member = /(?<!\\)"model"\s*:\s*"((?:[^"\\]|\\.){0,1024})/;

/** The model that a rejected request names, as its client wrote it; null where none can be read. Never throws. */
export function writtenModel(input: RequestInput | null): string | null {
  if (input === null) return null;
  if (!Buffer.isBuffer(input)) return textOf(input.fields.model);
  const value = input.length <= MAX_PARSED_BYTES ? tryParse(input.toString()) : undefined;
  if (isObject(value)) return textOf(value.model);
  return searched(input.subarray(0, SEARCHED_BYTES)) ?? searched(input.subarray(-SEARCHED_BYTES));
}

function searched(part: Buffer): string | null {
  const text = member.exec(part.toString())?.[1];
  return text === undefined ? null : textOf(tryParse(`"${text}"`) ?? text);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
