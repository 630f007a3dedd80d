import { isJson } from './clean-bytes/is-json.ts';
import type { ContentCapture } from './content-capture.ts';
import type { ContentPolicy } from './content-log.ts';

const beforeRequest = Buffer.from('{"request":');
const beforeResponse = Buffer.from(',"response":');
const afterResponse = {
  complete: Buffer.from(',"error":null,"isComplete":true}'),
  incomplete: Buffer.from(',"error":null,"isComplete":false}'),
};

/** JSON bodies as they were received, unless a client or provider sent something else. */
export interface ReceivedBodies {
  readonly request: Buffer;
  readonly response: Buffer;
  /** As in `LoggedDocument`. */
  readonly isComplete: boolean;
}

/** Where the bodies are in their document. */
export interface BodyPlaces {
  readonly requestLength: number;
  /** As in `LoggedDocument`. */
  readonly isComplete: boolean;
}

/**
 * The bodies of a request whose document they make, where redaction changes nothing in them; null for other requests.
 * @param maxBytes of both
 */
export function receivedBodies(capture: ContentCapture, maxBytes: number): ReceivedBodies | null {
  const { request, answer, policy, loggedError, isComplete, protocol } = capture;
  if (policy.level !== 'full' || policy.isSearchable || loggedError !== null || protocol === 'gemini') return null;
  const json = request?.json ?? null;
  const response = answer.object;
  if (json === null || response === null || json.length + response.length > maxBytes) return null;
  return { request: json, response, isComplete };
}

/**
 * Whether redaction changes nothing in the document of these bodies; false where that is not certain.
 */
export function isUnchanged(
  document: Buffer,
  { requestLength, isComplete }: BodyPlaces,
  { redaction }: ContentPolicy,
): boolean {
  if (!redaction.isClean(document)) return false;
  const requestEnd = beforeRequest.length + requestLength;
  const responseEnd = document.length - afterResponseOf(isComplete).length;
  return (
    isJson(document, beforeRequest.length, requestEnd) &&
    isJson(document, requestEnd + beforeResponse.length, responseEnd)
  );
}

/** The document of these bodies, in parts. */
export function partsOf({ request, response, isComplete }: ReceivedBodies): readonly Buffer[] {
  return [beforeRequest, request, beforeResponse, response, afterResponseOf(isComplete)];
}

/** The bodies in their document. */
export function bodiesIn(document: Buffer, { requestLength, isComplete }: BodyPlaces): ReceivedBodies {
  const requestEnd = beforeRequest.length + requestLength;
  return {
    request: document.subarray(beforeRequest.length, requestEnd),
    response: document.subarray(requestEnd + beforeResponse.length, -afterResponseOf(isComplete).length),
    isComplete,
  };
}

function afterResponseOf(isComplete: boolean): Buffer {
  return isComplete ? afterResponse.complete : afterResponse.incomplete;
}
