import { isUtf8 } from 'node:buffer';
import { SluiceError } from '../../errors/index.ts';

const BYTE_ORDER_MARK = 0xfeff;

/** Parses a JSON body in UTF-8; a byte order mark is forgiven. @throws SluiceError invalid_json */
export function parseJsonBody(body: Buffer): unknown {
  if (!isUtf8(body)) throw invalid('it is not valid UTF-8.');
  const text = body.toString();
  try {
    return JSON.parse(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text);
  } catch {
    // V8's message quotes what it met: bodies hold prompts, so only the kind of fault is told.
    throw invalid(body.length === 0 ? 'it is empty.' : 'it is malformed.');
  }
}

function invalid(reason: string): SluiceError {
  return new SluiceError('invalid_json', { values: { reason } });
}
