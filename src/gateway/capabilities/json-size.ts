import { SluiceError } from '../../errors/index.ts';
import { COMMA, QUOTE, stringEnd } from '../../providers/shared/json-bytes.ts';

/** To parse less takes little time, whatever it holds. */
const UNCOUNTED_BYTES = 1024 * 1024;
/** Each takes up to a microsecond to parse, and as much to check. A conversation of a million tokens has half of it. */
const MAX_MEMBERS = 250_000;
/** Numbers take less: 2,048 lists of 2,048 tokens are an embeddings request. */
const MAX_VALUES = 5_000_000;
const COLON = 0x3a;

/**
 * Refuses a long body that would keep all others waiting while it is parsed: of many members, or many values. A long text is
 * neither, and is skipped. What is no JSON passes: it is told as such where it is parsed.
 * @throws SluiceError json_too_complex
 */
export function assertParsedSoon(json: Buffer): void {
  if (json.length <= UNCOUNTED_BYTES) return;
  let [members, values] = [0, 0];
  for (let at = 0; at < json.length;) {
    const byte = json[at];
    if (byte === QUOTE) {
      at = stringEnd(json, at);
      continue;
    }
    if (byte === COLON && ++members > MAX_MEMBERS) throw tooComplex(MAX_MEMBERS, 'members');
    if (byte === COMMA && ++values > MAX_VALUES) throw tooComplex(MAX_VALUES, 'values');
    at++;
  }
}

function tooComplex(limit: number, what: string): SluiceError {
  return new SluiceError('json_too_complex', { values: { limit, what } });
}
