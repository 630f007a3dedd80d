import { randomUUID } from 'node:crypto';
import { SluiceError } from '../../../errors/index.ts';
import { decodeInputItems, itemsOf } from '../../../protocols/responses/decode-request.ts';
import type { JsonObject } from '../../../protocols/canonical/json-members.ts';
import type { InputItem } from '../../../protocols/responses/decode-request/items.ts';
import { objectIn, type RequestInput } from '../../request-input.ts';
import { readMetadata } from '../object-metadata.ts';
import { isInput } from './relay/conversation-items.ts';

/** OpenAI's limit. */
const MAX_ITEMS = 20;

type Item = Readonly<Record<string, unknown>>;

/** The items of a body, each with an id. @throws SluiceError of status 400 */
export function readConversationItems(
  input: RequestInput,
  isRequired: boolean,
): readonly (Item & { readonly id: string })[] {
  const { items } = objectIn(input);
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
  return readMetadata(objectIn(input), isRequired);
}

/**
 * Earlier items, for models of any provider. An output of a type that is not known here, which a response that was
 * relayed added, is left out: only its provider could use it.
 * @throws SluiceError of status 400
 */
export function decodeConversationItems(items: readonly JsonObject[]): readonly InputItem[] {
  return items.flatMap((item) => {
    try {
      return decodeInputItems([item]);
    } catch (error) {
      if (isInput(item)) throw error;
      return [];
    }
  });
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

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('invalid_value', { param, values: { reason } });
}
