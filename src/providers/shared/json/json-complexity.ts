import { COMMA, QUOTE, stringEnd } from './json-bytes.ts';

const COLON = 0x3a;
/** Shorter texts parse fast, whatever they contain. */
const UNCOUNTED_BYTES = 1024 * 1024;

/** The limits of a JSON text. A member takes up to a microsecond to parse, and as much to check; other values take less. */
export interface ComplexityLimits {
  readonly members: number;
  readonly values: number;
}

/** Log probabilities of 16,000 tokens with 20 alternatives; 2,048 embeddings of 4,096 numbers. */
const MAX_ANSWER: ComplexityLimits = { members: 1_000_000, values: 10_000_000 };

/**
 * The limit that a long JSON text exceeds, found in one pass over its bytes. Long strings are skipped.
 * @returns null within the limits, and for invalid JSON, which the parser reports
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

/** Parses a provider's response. @throws SyntaxError for invalid JSON, and for JSON that would block the event loop */
export function parseAnswer(json: string | Buffer): unknown {
  if (json.length > UNCOUNTED_BYTES) {
    const bytes = typeof json === 'string' ? Buffer.from(json) : json;
    if (excessOf(bytes, MAX_ANSWER) !== null) throw new SyntaxError('the JSON of the answer is too complex');
  }
  return JSON.parse(json.toString());
}
