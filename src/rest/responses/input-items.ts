import { SluiceError } from '../../errors/index.ts';
import { readListPage } from '../../services/list-page.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * A page of the items that a response was asked with, the last first. Source: OpenAI's API document, ResponseItemList.
 * @throws SluiceError invalid_value | integer_* | not_found
 */
export function inputItemsPage(
  { id, input }: { readonly id: string; readonly input: readonly Json[] },
  query: Readonly<Record<string, unknown>>,
): Json {
  const { limit, order, after } = readListPage(query);
  const items = input.map((item, index) => withId(item, `item_${id.replaceAll('-', '')}${index}`));
  const ordered = order === 'asc' ? items : items.toReversed();
  const from = after === null ? 0 : ordered.findIndex((item) => item.id === after) + 1;
  if (after !== null && from === 0) throw new SluiceError('not_found', { values: { what: 'item' } });
  const data = ordered.slice(from, from + limit);
  const hasMore = ordered.length > from + limit;
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}

/** Texts are told as parts, as the reference has it. */
function withId(item: Json, id: string): Json {
  const { content } = item;
  const part = item.role === 'assistant' ? 'output_text' : 'input_text';
  return { id, ...item, ...(typeof content === 'string' && { content: [{ type: part, text: content }] }) };
}
