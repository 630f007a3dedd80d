import type { ProtocolName } from '../../protocols/canonical/protocol.ts';
import { isObject, type JsonObject } from '../../protocols/canonical/json-members.ts';
import { pathOf } from '../../protocols/canonical/request/member-path.ts';

/** No object of a request is nested deeper. */
const MAX_DEPTH = 32;
/** How deep media are within their part: `source.data`, `image_url.url`. */
const MAX_MEDIA_DEPTH = 2;
/** Lists of the parts of a message, or of the result of a tool. */
const partLists: ReadonlySet<string> = new Set(['content', 'parts', 'output']);
/** Members of a part that hold media. Data of tools may have the same form, and is kept. */
const mediaMembers: ReadonlySet<string> = new Set([
  'image_url',
  'input_audio',
  'file',
  'file_data',
  'source',
  'inlineData',
  'inline_data',
]);

export interface WithoutMedia {
  readonly value: unknown;
  /** Paths of the parts that were replaced. */
  readonly replaced: readonly string[];
}

/**
 * Replaces parts with media that were logged by reference by a text with that reference: their bytes are not stored. Linear in
 * the length of the body.
 */
export function withoutLoggedMedia(body: unknown, protocol: ProtocolName): WithoutMedia {
  const replaced: string[] = [];
  const visit = (value: unknown, member: string, path: string, depth: number): unknown => {
    if (depth > MAX_DEPTH) return value;
    if (Array.isArray(value))
      return value.map((item: unknown, at) => {
        const place = `${path}[${at}]`;
        const reference = partLists.has(member) && isObject(item) ? referenceIn(item) : null;
        if (reference === null) return visit(item, '', place, depth + 1);
        replaced.push(place);
        return textPart(reference, protocol);
      });
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([name, inner]) => [
      name,
      typeof inner === 'object' && inner !== null ? visit(inner, name, pathOf(path, name), depth + 1) : inner,
    ]);
    return Object.fromEntries(entries);
  };
  return { value: visit(body, '', '', 0), replaced };
}

/** The first reference of a part; null for none. */
function referenceIn(part: JsonObject): string | null {
  for (const [name, value] of Object.entries(part)) {
    const reference = mediaMembers.has(name) ? referenceWithin(value, 0) : null;
    if (reference !== null) return reference;
  }
  return null;
}

function referenceWithin(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return value.startsWith('[media:') ? value : null;
  if (!isObject(value) || depth >= MAX_MEDIA_DEPTH) return null;
  for (const inner of Object.values(value)) {
    const reference = referenceWithin(inner, depth + 1);
    if (reference !== null) return reference;
  }
  return null;
}

function textPart(text: string, protocol: ProtocolName): JsonObject {
  if (protocol === 'gemini') return { text };
  return { type: protocol === 'responses' ? 'input_text' : 'text', text };
}
