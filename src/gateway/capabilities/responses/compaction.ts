import { SluiceError } from '../../../errors/index.ts';
import { isObject, objectsOf } from '../../../protocols/canonical/json-members.ts';
import { withMembers } from '../../../providers/shared/http/request-body.ts';
import type { RequestInput } from '../../request-input.ts';
import { tryParse } from '../../json-text.ts';

/** Members of a response that a compaction has none of. */
const omitted = { stream: null, stream_options: null, background: null, store: 'false' } as const;

/**
 * A request to compact a conversation as one that creates a response: with the item that has it answered by a compaction, which
 * providers of the protocol know, too. A body that is no object is unchanged: it is refused when it is parsed.
 * @throws SluiceError missing_required_parameter without anything to compact; invalid_type for an `input` to which no item can be added: a provider would answer it at a charge, and
 *   without a compaction
 */
export function compactionInput(input: RequestInput): RequestInput {
  const value = Buffer.isBuffer(input) ? tryParse(input.toString()) : undefined;
  if (!Buffer.isBuffer(input) || !isObject(value)) return input;
  if ((value.input ?? value.previous_response_id ?? value.conversation ?? null) === null)
    throw new SluiceError('missing_required_parameter', { param: 'input' });
  const items = JSON.stringify([...itemsOf(value.input), { type: 'compaction_trigger' }]);
  return withMembers(input, { ...omitted, input: items });
}

/** @throws SluiceError invalid_type */
function itemsOf(input: unknown): readonly unknown[] {
  if (input === undefined || input === null) return [];
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  if (Array.isArray(input)) return input;
  const received = typeof input === 'object' ? 'an object' : `a ${typeof input}`;
  throw new SluiceError('invalid_type', {
    param: 'input',
    values: { expected: 'a string or an array of items', received },
  });
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
