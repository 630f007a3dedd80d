import { randomUUID } from 'node:crypto';
import { SluiceError } from '../../../errors/index.ts';
import { isObject } from '../../../protocols/canonical/json-members.ts';
import { decodeInputItems, itemsOf } from '../../../protocols/responses/decode-request.ts';
import { valueOf, type RequestInput } from '../../request-input.ts';

/** OpenAI's limits. */
const MAX_ITEMS = 20;
const [MAX_PAIRS, MAX_NAME, MAX_VALUE] = [16, 64, 512];

type Item = Readonly<Record<string, unknown>>;

/** The items of a body, each with an id. @throws SluiceError of status 400 */
export function readConversationItems(
  input: RequestInput,
  isRequired: boolean,
): readonly (Item & { readonly id: string })[] {
  const { items } = bodyOf(input);
  if (items === undefined || items === null) {
    if (isRequired) throw new SluiceError('missing_required_parameter', { param: 'items' });
    return [];
  }
  if (!Array.isArray(items)) throw invalid('items', 'it must be an array.');
  if (items.length > MAX_ITEMS)
    throw new SluiceError('array_above_max_length', { param: 'items', values: { limit: MAX_ITEMS } });
  return decodeInputItems(itemsOf(items)).map(withId);
}

/** @throws SluiceError of status 400 */
export function readConversationMetadata(input: RequestInput, isRequired: boolean): Readonly<Record<string, string>> {
  const { metadata } = bodyOf(input);
  if (metadata === undefined || metadata === null) {
    if (isRequired) throw new SluiceError('missing_required_parameter', { param: 'metadata' });
    return {};
  }
  if (!isObject(metadata)) throw invalid('metadata', 'it must be an object.');
  const pairs = Object.entries(metadata);
  if (pairs.length > MAX_PAIRS) throw invalid('metadata', `it may have at most ${MAX_PAIRS} members.`);
  for (const [name, value] of pairs)
    if (name.length > MAX_NAME || typeof value !== 'string' || value.length > MAX_VALUE)
      throw invalid(
        'metadata',
        `names have up to ${MAX_NAME} characters, and values are texts of up to ${MAX_VALUE} characters.`,
      );
  return Object.fromEntries(pairs.map(([name, value]) => [name, String(value)]));
}

/** Ids that clients or models gave are kept: later items refer to them. */
export function withId<Given extends object>(item: Given): Given & { readonly id: string } {
  const own = 'id' in item && typeof item.id === 'string' && item.id !== '' ? item.id : null;
  return { ...item, id: own ?? `${prefixOf(item)}_${randomUUID().replaceAll('-', '')}` };
}

const prefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  function_call: 'fc',
  function_call_output: 'fco',
  reasoning: 'rs',
};

function prefixOf(item: object): string {
  return ('type' in item && typeof item.type === 'string' ? prefixes[item.type] : undefined) ?? 'item';
}

function bodyOf(input: RequestInput): Item {
  const body = valueOf(input);
  if (!isObject(body)) throw new SluiceError('invalid_json', { values: { reason: 'the body must be an object' } });
  return body;
}

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('invalid_value', { param, values: { reason } });
}
