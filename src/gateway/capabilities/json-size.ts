import { SluiceError } from '../../errors/index.ts';
import { excessOf } from '../../providers/shared/json/json-complexity.ts';

/**
 * A conversation of a million tokens has half as many members; 2,048 lists of 2,048 tokens are an embeddings request.
 */
const MAX_BODY = { members: 250_000, values: 5_000_000 } as const;

/** Rejects a long body whose parsing would block all other requests. @throws SluiceError json_too_complex */
export function assertParsedSoon(json: Buffer): void {
  const what = excessOf(json, MAX_BODY);
  if (what !== null) throw new SluiceError('json_too_complex', { values: { limit: MAX_BODY[what], what } });
}
