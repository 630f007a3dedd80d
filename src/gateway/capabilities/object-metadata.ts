import { SluiceError } from '../../errors/index.ts';
import { isObject } from '../../protocols/canonical/json-members.ts';

/** OpenAI's limits. */
const [MAX_PAIRS, MAX_NAME, MAX_VALUE] = [16, 64, 512];

/**
 * The `metadata` of a body that creates or changes an object; null stands for none. Source: OpenAI's API document, Metadata.
 * @throws SluiceError missing_required_parameter | invalid_value
 */
export function readMetadata(
  { metadata }: Readonly<Record<string, unknown>>,
  isRequired: boolean,
): Readonly<Record<string, string>> {
  if (metadata === undefined && isRequired) throw new SluiceError('missing_required_parameter', { param: 'metadata' });
  if (metadata === undefined || metadata === null) return {};
  if (!isObject(metadata)) throw invalid('it must be an object.');
  const pairs = Object.entries(metadata);
  if (pairs.length > MAX_PAIRS) throw invalid(`it may have at most ${MAX_PAIRS} members.`);
  for (const [name, value] of pairs)
    if (name.length > MAX_NAME || typeof value !== 'string' || value.length > MAX_VALUE)
      throw invalid(`names have up to ${MAX_NAME} characters, and values are texts of up to ${MAX_VALUE} characters.`);
  return Object.fromEntries(pairs.map(([name, value]) => [name, String(value)]));
}

function invalid(reason: string): SluiceError {
  return new SluiceError('invalid_value', { param: 'metadata', values: { reason } });
}
