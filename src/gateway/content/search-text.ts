import { isObject } from '../../protocols/canonical/json-members.ts';
import type { LoggedDocument } from './content-log.ts';

/**
 * Bytes of UTF-8, of the end of a request, where the latest messages are, and of the start of a response. PostgreSQL limits the
 * words of a row to 1,048,575 bytes (MAXSTRPOS of ts_type.h). So many bytes B of text are at most: 2 B of words, because the parts
 * of a compound, and the host and path of a URL, are words besides the whole; and 5 bytes for each different word, of which
 * there are at most 2 B / 3 of three bytes or more and some thousands of fewer; and 32 kB for further positions, which end at
 * 16,383. For 180,000 that is about 1,010,000.
 */
const MAX_REQUEST_BYTES = 135_000;
const MAX_RESPONSE_BYTES = 45_000;

/** Members without text of a person or a model. */
const skipped: ReadonlySet<string> = new Set(
  `role type object model modelVersion id call_id tool_call_id tool_use_id status finish_reason finishReason stop_reason created
  created_at usage usageMetadata tools tool_choice toolConfig response_format generationConfig service_tier system_fingerprint
  encrypted_content signature thoughtSignature format voice size quality embedding`.split(/\s+/),
);
const media = /\[media:[^\]]{0,200}\]/g;

/** The texts of redacted content, to search in: prompts and answers, tool calls and their results. */
export function searchTextOf(document: unknown): string {
  if (!isLogged(document)) return '';
  const request = endOf(wellFormed(textsIn(document.request).join('\n').slice(-MAX_REQUEST_BYTES)), MAX_REQUEST_BYTES);
  const response = startOf(
    wellFormed(textsIn(document.response).join('\n').slice(0, MAX_RESPONSE_BYTES)),
    MAX_RESPONSE_BYTES,
  );
  // A surrogate pair may have been divided.
  return `${request}\n${response}`.toWellFormed();
}

/** Without media, and what PostgreSQL does not accept: NUL and lone surrogates. */
function wellFormed(text: string): string {
  return text.replaceAll(media, ' ').replaceAll('\0', '').toWellFormed();
}

function endOf(text: string, maxBytes: number): string {
  let bytes = 0;
  let from = text.length;
  while (from > 0 && (bytes += bytesAt(text, from - 1)) <= maxBytes) from -= 1;
  return text.slice(from);
}

function startOf(text: string, maxBytes: number): string {
  let bytes = 0;
  let to = 0;
  while (to < text.length && (bytes += bytesAt(text, to)) <= maxBytes) to += 1;
  return text.slice(0, to);
}

/** Of a UTF-16 code unit, in lower case, as words are. */
function bytesAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code < 0x80) return 1;
  // İ, Ⱥ and Ⱦ: the only characters with a longer lower case.
  if (code < 0x800) return code === 0x130 || code === 0x23a || code === 0x23e ? 3 : 2;
  return code >= 0xd800 && code < 0xe000 ? 2 : 3;
}

function isLogged(document: unknown): document is Pick<LoggedDocument, 'request' | 'response'> {
  return isObject(document) && 'request' in document && 'response' in document;
}

/** In the order of the document. */
function textsIn(value: unknown, texts: string[] = []): string[] {
  if (typeof value === 'string') texts.push(value);
  else if (Array.isArray(value)) for (const each of value) textsIn(each, texts);
  else if (isObject(value))
    for (const [name, each] of Object.entries(value)) if (!skipped.has(name)) textsIn(each, texts);
  return texts;
}
