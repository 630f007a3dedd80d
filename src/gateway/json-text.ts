import { parseAnswer } from '../providers/shared/json/json-complexity.ts';

/** Parses a provider's response; undefined where it is not JSON or too large. */
export function tryParse(json: string): unknown {
  try {
    return parseAnswer(json);
  } catch {
    return undefined;
  }
}
