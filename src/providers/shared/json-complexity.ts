import { COMMA, QUOTE, stringEnd } from './json-bytes.ts';

const COLON = 0x3a;
/** To parse less takes little time, whatever it holds. */
const UNCOUNTED_BYTES = 1024 * 1024;

/** How much a JSON text may hold. A member takes up to a microsecond to parse, and as much to check; other values take less. */
export interface ComplexityLimits {
  readonly members: number;
  readonly values: number;
}

/** Log probabilities of 16,000 tokens with 20 alternatives; 2,048 embeddings of 4,096 numbers. */
const MAX_ANSWER: ComplexityLimits = { members: 1_000_000, values: 10_000_000 };

/**
 * What a long JSON text holds more of than it may, by one pass over its bytes. A long string is skipped.
 * @returns null for what is within the limits, and for what is no JSON: it is told as such where it is parsed
 */
export function excessOf(json: Buffer, limits: ComplexityLimits): keyof ComplexityLimits | null {
  if (json.length <= UNCOUNTED_BYTES) return null;
  let [members, values] = [0, 0];
  for (let at = 0; at < json.length;) {
    const byte = json[at];
    if (byte === QUOTE) {
      at = stringEnd(json, at);
      continue;
    }
    if (byte === COLON && ++members > limits.members) return 'members';
    if (byte === COMMA && ++values > limits.values) return 'values';
    at++;
  }
  return null;
}

/** What a provider answered. @throws SyntaxError for what is no JSON, and for what would keep all others waiting */
export function parseAnswer(json: string | Buffer): unknown {
  if (json.length > UNCOUNTED_BYTES) {
    const bytes = typeof json === 'string' ? Buffer.from(json) : json;
    if (excessOf(bytes, MAX_ANSWER) !== null) throw new SyntaxError('the JSON of the answer is too complex');
  }
  return JSON.parse(json.toString());
}
