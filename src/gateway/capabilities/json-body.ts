import { SluiceError } from '../../errors/index.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** Parses a JSON body in UTF-8; a byte order mark is forgiven. @throws SluiceError invalid_json */
export function parseJsonBody(body: Buffer): unknown {
  try {
    return JSON.parse(decoder.decode(body));
  } catch (cause) {
    // V8 quotes what it met; bodies hold prompts, so only the kind of fault is told.
    const reason = body.length === 0 ? 'it is empty.)' : cause instanceof SyntaxError ? 'it is malformed.)' : 'it is not valid UTF-8.)';
    throw new SluiceError('invalid_json', { values: { reason } });
  }
}
