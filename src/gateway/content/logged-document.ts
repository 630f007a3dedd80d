import { responseObject } from '../../protocols/chat-completions/encode-response.ts';
import type { ProtocolName } from '../../protocols/canonical/protocol.ts';
import { tryParse } from '../json-text.ts';
import type { ContentCapture } from './content-capture.ts';
import type { ContentPolicy, LoggedDocument, RedactedContent } from './content-log.ts';
import { shapeOf } from './content-shape.ts';
import { isUnchanged, partsOf, receivedBodies, type ReceivedBodies } from './received-bodies.ts';
import { EVENT_STREAM, referenceTo, type Answer } from './recorded-answer.ts';
import { whenDigested, type RecordedRequest } from './recorded-request.ts';
import { searchTextOf } from './search-text.ts';
import { joinedParsed, joinedStream } from './streams/joined-stream.ts';

/** Longer bodies are redacted in turns of the event loop. */
const MAX_UNCHANGED_BYTES = 256 * 1024;

/** What is stored of a request: joined, with media by reference, and redacted. Null where the capture has nothing. */
export async function redactedContent(capture: ContentCapture): Promise<RedactedContent | null> {
  const { request, isComplete, protocol, policy } = capture;
  if (request === null) return null;
  if (request.fields !== null) await whenDigested(request);
  const bodies = receivedBodies(capture, MAX_UNCHANGED_BYTES);
  if (bodies !== null) {
    const joined = Buffer.concat(partsOf(bodies));
    const places = { requestLength: bodies.request.length, isComplete };
    if (isUnchanged(joined, places, policy)) return unchangedContent(joined);
  }
  const answer = capture.answer.take();
  const document: LoggedDocument = {
    request: requestValue(request),
    response: answerValue(answer, protocol),
    error: capture.loggedError,
    isComplete,
  };
  return contentOf(document, policy);
}

async function contentOf(document: LoggedDocument, policy: ContentPolicy): Promise<RedactedContent> {
  const { value, counts, json } = await redacted(document, policy);
  return {
    level: policy.level,
    document:
      policy.level === 'full' && json !== null ? json : jsonOf(policy.level === 'full' ? value : shapeOf(value)),
    redactions: counts,
    searchText: policy.isSearchable ? searchTextOf(value) : null,
  };
}

interface Redacted {
  readonly value: unknown;
  readonly counts: Readonly<Record<string, number>>;
  /** Of the value; null where redaction changed it. */
  readonly json: Buffer | null;
}

/** One pass over the bytes of most documents shows that redaction changes nothing: it reads text by text. */
async function redacted(document: LoggedDocument, { redaction }: ContentPolicy): Promise<Redacted> {
  if (!redaction.canBeClean) return { ...(await redaction.redactInTurns(document, endOfTurn)), json: null };
  const json = jsonOf(document);
  if (json.length <= MAX_UNCHANGED_BYTES && redaction.isClean(json)) return { value: document, counts: {}, json };
  const { value, counts } = await redaction.redactInTurns(document, endOfTurn);
  return { value, counts, json: value === document ? json : null };
}

function jsonOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

const noRedactions = {};

/** @param document that `isUnchanged` bodies make */
export function unchangedContent(document: Buffer): RedactedContent {
  return { level: 'full', document, redactions: noRedactions, searchText: null };
}

/** What is stored of bodies in which redaction may change something. */
export async function redactedBodies(bodies: ReceivedBodies, policy: ContentPolicy): Promise<RedactedContent> {
  const { request, response, isComplete } = bodies;
  const document = { request: parsedOrText(request), response: parsedOrText(response), error: null, isComplete };
  return contentOf(document, policy);
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
  if (contentType.startsWith(EVENT_STREAM)) return joinedStream(bytes, protocol);
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
