import { hash } from 'node:crypto';
import { count } from './replace.ts';
import type { RedactionCounts } from './rules.ts';

/** Base64 of this length or more is media, wherever it stands. */
const MIN_BASE64_LENGTH = 1_024;
/** The same for members that hold media. */
const MIN_MEDIA_LENGTH = 64;

const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
const dataUrl =
  /data:([\w.+-]{1,64}\/[\w.+-]{1,64})?(?:;[\w.+-]{1,64}=[\w.+-]{1,64}){0,4};base64,([A-Za-z0-9+/_-]*={0,2})/g;
const mediaMember =
  /^(?:data|b64_json|file_data|image_base64|audio_base64|partial_image_b64|result|bytesBase64Encoded)$/;
const typeMembers = ['media_type', 'mime_type', 'mimeType', 'format'] as const;

/** Media by reference: type, size and SHA-256 of the bytes in place of the bytes. */
function referenceTo(encoded: string, type: string, counts: RedactionCounts): string {
  const bytes = Buffer.from(encoded, 'base64');
  count(counts, 'media');
  return `[media:${type}; ${bytes.length} bytes; sha256:${hash('sha256', bytes)}]`;
}

/**
 * Replaces base64 by references.
 * @param member the name of the member whose text it is; empty in an array
 * @param siblings the object of that member, which may say the media type
 */
export function withMediaReferences(
  text: string,
  member: string,
  siblings: object | null,
  counts: RedactionCounts,
): string {
  if (text.length < MIN_MEDIA_LENGTH) return text.includes(';base64,') ? withoutDataUrls(text, counts) : text;
  const isMedia = text.length >= MIN_BASE64_LENGTH || mediaMember.test(member);
  if (isMedia && base64.test(text)) return referenceTo(text, typeOf(siblings), counts);
  return text.includes(';base64,') ? withoutDataUrls(text, counts) : text;
}

function withoutDataUrls(text: string, counts: RedactionCounts): string {
  return text.replace(dataUrl, (_url, type: string | undefined, encoded: string) =>
    referenceTo(encoded, type ?? 'text/plain', counts),
  );
}

function typeOf(siblings: object | null): string {
  for (const name of typeMembers) {
    const type: unknown = siblings === null ? undefined : Reflect.get(siblings, name);
    if (typeof type === 'string' && /^[\w.+/-]{1,64}$/.test(type)) return type;
  }
  return 'application/octet-stream';
}
