import { parseAnswer } from '../../../../providers/shared/json/json-complexity.ts';

/** Parses the data of an event: Latin-1 over UTF-8. Undefined for invalid JSON. */
export function parseChunk(data: string): unknown {
  try {
    return parseAnswer(Buffer.from(data, 'latin1'));
  } catch {
    return undefined;
  }
}
