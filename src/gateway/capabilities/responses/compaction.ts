import { SluiceError } from '../../../errors/index.ts';
import { isObject, objectsOf } from '../../../protocols/canonical/json-members.ts';
import { withMembers } from '../../../providers/shared/http/request-body.ts';
import type { RequestInput } from '../../request-input.ts';
import { tryParse } from '../json-text.ts';

/** Members of a response that a compaction has none of. */
const omitted = { stream: null, stream_options: null, background: null, store: 'false' } as const;

/**
 * A request to compact a conversation as one that creates a response: with the item that has it answered by a compaction, which
 * providers of the protocol know, too. A body that is no object is unchanged: it is refused when it is parsed.
 */
export function compactionInput(input: RequestInput): RequestInput {
  const value = Buffer.isBuffer(input) ? tryParse(input.toString()) : undefined;
  if (!Buffer.isBuffer(input) || !isObject(value)) return input;
  const items = itemsOf(value.input);
  if (items === null) return withMembers(input, omitted);
  return withMembers(input, { ...omitted, input: JSON.stringify([...items, { type: 'compaction_trigger' }]) });
}

/** Null for what is no input, which is refused as such. */
function itemsOf(input: unknown): readonly unknown[] | null {
  if (input === undefined || input === null) return [];
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  return Array.isArray(input) ? input : null;
}

/**
 * The compaction that a response contains, as OpenAI's CompactResource.
 * @throws SluiceError empty_compaction
 */
export function compactionOf(document: Buffer): Buffer {
  const response = tryParse(document.toString());
  if (!isObject(response)) throw new SluiceError('empty_compaction');
  const output = objectsOf(response.output);
  if (!output.some(({ type }) => type === 'compaction')) throw new SluiceError('empty_compaction');
  const { id, created_at: createdAt, usage } = response;
  return Buffer.from(JSON.stringify({ id, object: 'response.compaction', created_at: createdAt, output, usage }));
}
