import { isObject } from '../../protocols/canonical/json-members.ts';
import type { LoggedDocument } from './content-log.ts';

/** Of the end of a request, where the latest messages are. PostgreSQL limits the words of a row to 1 MB. */
const MAX_REQUEST_LENGTH = 150_000;
const MAX_RESPONSE_LENGTH = 50_000;

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
  const request = textsIn(document.request).join('\n').slice(-MAX_REQUEST_LENGTH);
  const response = textsIn(document.response).join('\n').slice(0, MAX_RESPONSE_LENGTH);
  const text = `${request}\n${response}`.replaceAll(media, ' ');
  // PostgreSQL accepts neither NUL nor a lone surrogate.
  return text.replaceAll('\0', '').toWellFormed();
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
