import { isUtf8 } from 'node:buffer';
import { SluiceError } from '../../errors/index.ts';

const BYTE_ORDER_MARK = 0xfeff;

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

function invalid(reason: string): SluiceError {
  return new SluiceError('invalid_json', { values: { reason } });
}
