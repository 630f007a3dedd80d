import { responseObject } from '../../protocols/chat-completions/encode-response.ts';
import type { ProtocolName } from '../../protocols/canonical/protocol.ts';
import { tryParse } from '../json-text.ts';
import type { ContentCapture } from './content-capture.ts';
import type { LoggedDocument, RedactedContent } from './content-log.ts';
import { shapeOf } from './content-shape.ts';
import { referenceTo, type Answer } from './recorded-answer.ts';
import { whenDigested, type RecordedRequest } from './recorded-request.ts';
import { searchTextOf } from './search-text.ts';
import { joinedParsed, joinedStream } from './streams/joined-stream.ts';

/** Longer bodies are redacted in turns of the event loop. */
const MAX_UNCHANGED_BYTES = 256 * 1024;
const BRACE = 0x7b;

/** What is stored of a request: joined, with media by reference, and redacted. Null where the capture has nothing. */
export async function redactedContent(capture: ContentCapture): Promise<RedactedContent | null> {
  const { request, isComplete, protocol, policy } = capture;
  if (request === null) return null;
  if (request.fields !== null) await whenDigested(request);
  const answer = capture.answer.take();
  const unchanged = unchangedDocument(request, answer, capture);
  if (unchanged !== null) return { level: policy.level, document: unchanged, redactions: {}, searchText: null };
  const document: LoggedDocument = {
    request: requestValue(request),
    response: answerValue(answer, protocol),
    error: capture.loggedError,
    isComplete,
  };
  const { value, counts } = await policy.redaction.redactInTurns(document, endOfTurn);
  const shown = policy.level === 'full' ? value : shapeOf(value);
  return {
    level: policy.level,
    document: Buffer.from(JSON.stringify(shown)),
    redactions: counts,
    searchText: policy.isSearchable ? searchTextOf(value) : null,
  };
}

const beforeRequest = Buffer.from('{"request":');
const beforeResponse = Buffer.from(',"response":');
const afterResponse = {
  complete: Buffer.from(',"error":null,"isComplete":true}'),
  incomplete: Buffer.from(',"error":null,"isComplete":false}'),
};

/** The bodies as they were received, where redaction changes nothing in them; null where it may. */
function unchangedDocument(
  { json }: RecordedRequest,
  { bytes, contentType, parts, result, media, tooLong }: Answer,
  { policy, loggedError, isComplete, protocol }: ContentCapture,
): Buffer | null {
  if (policy.level !== 'full' || policy.isSearchable || json === null || loggedError !== null) return null;
  const isDocument = parts === null && result === null && media === null && tooLong === 0 && bytes[0] === BRACE;
  if (!isDocument || contentType.startsWith('text/event-stream') || protocol === 'gemini') return null;
  if (json.length + bytes.length > MAX_UNCHANGED_BYTES) return null;
  const { redaction } = policy;
  if (!redaction.isClean(json) || !redaction.isClean(bytes) || !isJson(json) || !isJson(bytes)) return null;
  const end = isComplete ? afterResponse.complete : afterResponse.incomplete;
  return Buffer.concat([beforeRequest, json, beforeResponse, bytes, end]);
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString());
    return true;
  } catch {
    return false;
  }
}

/** Requests run before the next turn. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function requestValue({ json, fields, tooLong }: RecordedRequest): unknown {
  if (tooLong > 0) return omitted(tooLong);
  if (json !== null) return parsedOrText(json);
  const plain: unknown = JSON.parse(JSON.stringify(fields));
  return plain;
}

function answerValue(answer: Answer, protocol: ProtocolName | null): unknown {
  const { contentType, bytes, parts, result, media, tooLong } = answer;
  if (media !== null) return referenceTo(media);
  if (tooLong > 0) return omitted(tooLong);
  if (result !== null) return responseObject(result);
  if (parts !== null) {
    const { start, choices, usage, error } = parts.result;
    if (start === null) return error;
    return { ...responseObject({ start, choices, usage }), ...(error && { error }) };
  }
  if (bytes.length === 0) return null;
  if (contentType.startsWith('text/event-stream')) return joinedStream(bytes, protocol);
  const value = parsedOrText(bytes);
  // Gemini streams an array of chunks where the client asks for no events.
  return protocol === 'gemini' && Array.isArray(value) ? joinedParsed(value, protocol) : value;
}

/** A text that is too long to be logged. */
function omitted(bytes: number): object {
  return { omitted: { reason: 'too_long', bytes } };
}

function parsedOrText(json: Buffer): unknown {
  const text = json.toString();
  return tryParse(text) ?? text;
}
