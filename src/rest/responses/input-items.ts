import { withoutNulls } from '../../gateway/capabilities/responses/response-object.ts';
import { readListPage } from '../../services/list-page.ts';
import { pageOfList } from '../http/object-list.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * A page of the input items of a response, newest first. Source: OpenAI's API document, ResponseItemList.
 * @throws SluiceError invalid_value | integer_* | not_found
 */
export function inputItemsPage(
  { id, input }: { readonly id: string; readonly input: readonly Json[] },
  query: Readonly<Record<string, unknown>>,
): Json {
  const items = input.map((item, index) => shownItem(item, `item_${id.replaceAll('-', '')}${index}`));
  return pageOfList(items, readListPage(query), 'item');
}

/** Adds the members that the reference requires of a stored item. */
export function shownItem(item: Json, id: string): Json {
  const known = { ...item, id: typeof item.id === 'string' ? item.id : id };
  const status = item.status ?? 'completed';
  switch (item.type) {
    case 'message':
      return { ...known, status, content: parts(item) };
    case 'function_call':
    case 'custom_tool_call':
      return { ...known, status };
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { ...known, status, output: Array.isArray(item.output) ? item.output.map(shownPart) : item.output };
    case 'reasoning':
      return { ...known, summary: item.summary ?? [] };
    case 'image_generation_call':
      return { ...known, status, result: item.result ?? null };
    default:
      return known;
  }
}

/** Converts text content to parts. */
function parts({ role, content }: Json): unknown {
  if (Array.isArray(content)) return content.map(shownPart);
  return [shownPart({ type: role === 'assistant' ? 'output_text' : 'input_text', text: content })];
}

function shownPart(part: unknown): unknown {
  if (!isObject(part)) return part;
  switch (part.type) {
    case 'output_text':
      return { ...part, annotations: part.annotations ?? [], logprobs: part.logprobs ?? [] };
    case 'input_image':
      return { ...part, detail: part.detail ?? 'auto' };
    case 'input_file':
      return withoutNulls(part);
    default:
      return part;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
