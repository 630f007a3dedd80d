import { isUtf8 } from 'node:buffer';
import { SluiceError } from '../../errors/index.ts';
import { isObject } from '../../protocols/canonical/json-members.ts';
import { withMembers } from '../../providers/shared/http/request-body.ts';
import { tryParse } from '../json-text.ts';
import { excessOf } from '../../providers/shared/json/json-complexity.ts';
import { longStringsIn, MIN_INDEXED_BYTES } from '../../providers/shared/json/strings/long-strings.ts';

const BYTE_ORDER_MARK = 0xfeff;
const ENCODED_MARK = Buffer.from('\ufeff');

/** Parses a JSON body in UTF-8; a byte order mark is ignored. @throws SluiceError invalid_json */
export function parseJsonBody(body: Buffer): unknown {
  if (!isUtf8(body)) throw invalid('it is not valid UTF-8.');
  const text = body.toString();
  try {
    return JSON.parse(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text);
  } catch {
    // V8's message quotes its input, which may be a prompt: only the kind of error is reported.
    throw invalid(body.length === 0 ? 'it is empty.' : 'it is malformed.');
  }
}

/** A body without its byte order mark: those who read members of it, and providers, know none. */
export function withoutByteOrderMark(body: Buffer): Buffer {
  const hasMark = body[0] === ENCODED_MARK[0] && body.subarray(0, ENCODED_MARK.length).equals(ENCODED_MARK);
  return hasMark ? body.subarray(ENCODED_MARK.length) : body;
}

/** Names the model of a body whose URL names it. A body that is no JSON object is unchanged: it is refused when it is parsed. */
export function withModel(body: Buffer, model: string): Buffer {
  return isObject(tryParse(body.toString())) ? withMembers(body, { model: JSON.stringify(model) }) : body;
}

function invalid(reason: string): SluiceError {
  return new SluiceError('invalid_json', { values: { reason } });
}

/**
 * A conversation of a million tokens has half as many members; 2,048 lists of 2,048 tokens are an embeddings request.
 */
const MAX_BODY = { members: 250_000, values: 5_000_000 } as const;

/** Rejects a long body whose parsing would block all other requests. @throws SluiceError json_too_complex */
export function requireParseable(json: Buffer): void {
  // Whoever reads the body skips its long strings then.
  if (json.length >= MIN_INDEXED_BYTES) longStringsIn(json);
  const what = excessOf(json, MAX_BODY);
  if (what !== null) throw new SluiceError('json_too_complex', { values: { limit: MAX_BODY[what], what } });
}
