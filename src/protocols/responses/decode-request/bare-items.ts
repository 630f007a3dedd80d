import type { NamedObject } from '../../canonical/protocol.ts';
import { filledTextOf, isObject, listOf, type JsonObject } from '../../canonical/json-members.ts';

/** The lists of items in bodies about responses and conversations. */
const lists = ['input', 'items'] as const;

/**
 * Whether an item says nothing but its id, by which a provider that stores items finds the rest: reasoning neither encrypted nor
 * as text (a summary is not the reasoning), an image or a compaction without its content. Others stand for themselves. Source:
 * developers.openai.com, "Reasoning models": OpenAI answers `Item with id 'rs_…' not found` where it stores no such reasoning.
 */
export function isBareItem({ type, encrypted_content: sealed, content, result }: JsonObject): boolean {
  switch (type) {
    case 'reasoning':
      return filledTextOf(sealed) === null && listOf(content).length === 0;
    case 'compaction':
    case 'compaction_summary':
      return filledTextOf(sealed) === null;
    case 'image_generation_call':
      return filledTextOf(result) === null;
    default:
      return false;
  }
}

/** The items of a request that are bare. They may have been produced by any provider that the client used. */
export function bareItems(body: unknown): NamedObject[] {
  return itemsOf(body).flatMap(({ item, path }) => {
    const id = isBareItem(item) ? filledTextOf(item.id) : null;
    return id === null ? [] : [{ path, id, isItem: true as const }];
  });
}

/** References without a type, which OpenAI's API document allows: an id and neither a type nor a role. */
export function untypedReferences(body: unknown): NamedObject[] {
  return itemsOf(body).flatMap(({ item, path }) => {
    const isReference = (item.type ?? null) === null && (item.role ?? null) === null;
    const id = isReference ? filledTextOf(item.id) : null;
    return id === null ? [] : [{ path, id }];
  });
}

function itemsOf(body: unknown): { readonly item: JsonObject; readonly path: string }[] {
  if (!isObject(body)) return [];
  return lists.flatMap((name) =>
    listOf(body[name]).flatMap((item, at) => (isObject(item) ? [{ item, path: `${name}[${at}].id` }] : [])),
  );
}
