import { isObject } from '../../../protocols/canonical/json-members.ts';

const MAX_DEPTH = 32;
const URL_OF_IMAGE = /^(?:https?:|data:image\/)/i;
/** Members whose text is no content. */
const names: ReadonlySet<string> = new Set([
  'type',
  'role',
  'id',
  'call_id',
  'status',
  'encrypted_content',
  'signature',
]);

export interface Texts {
  readonly texts: string[];
  /** URLs. */
  readonly images: string[];
}

/** The texts and image URLs anywhere in a JSON value, in document order. */
export function textsOf(value: unknown): Texts {
  const found: Texts = { texts: [], images: [] };
  collect(value, 0, found);
  return found;
}

function collect(value: unknown, depth: number, found: Texts): void {
  if (depth > MAX_DEPTH) return;
  if (typeof value === 'string') {
    if (value !== '') (URL_OF_IMAGE.test(value) ? found.images : found.texts).push(value);
  } else if (Array.isArray(value)) for (const item of value) collect(item, depth + 1, found);
  else if (isObject(value))
    for (const [name, member] of Object.entries(value)) if (!names.has(name)) collect(member, depth + 1, found);
}
