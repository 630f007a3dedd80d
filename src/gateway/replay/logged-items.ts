import { isObject, listOf, type JsonObject } from '../../protocols/canonical/json-members.ts';

/** Members that name a conversation that is not in the request. */
const conversationMembers = ['previous_response_id', 'conversation'] as const;
/** Items that only name their content, or have it encrypted: what was logged may be redacted. */
const unreadableItems: ReadonlySet<unknown> = new Set(['item_reference', 'compaction']);

export interface WithoutReferences {
  readonly body: unknown;
  /** Paths of what the request only names. */
  readonly dropped: readonly string[];
}

/** A request of the Responses API without what it does not contain: earlier turns, and encrypted content. */
export function withoutReferences(body: unknown): WithoutReferences {
  if (!isObject(body)) return { body, dropped: [] };
  const dropped: string[] = conversationMembers.filter((name) => (body[name] ?? null) !== null);
  const input = Array.isArray(body.input)
    ? listOf(body.input).map((item, at) => readable(item, `input[${at}]`, dropped))
    : body.input;
  const others = Object.entries(body).filter(([name]) => conversationMembers.every((member) => member !== name));
  return { body: { ...Object.fromEntries(others), input }, dropped };
}

function readable(item: unknown, path: string, dropped: string[]): unknown {
  if (!isObject(item)) return item;
  if (unreadableItems.has(item.type)) {
    dropped.push(path);
    // An item that no chat contains, so that the paths of the others do not change.
    return { type: 'image_generation_call' };
  }
  return item.type === 'reasoning' ? withoutEncrypted(item, path, dropped) : item;
}

function withoutEncrypted(item: JsonObject, path: string, dropped: string[]): JsonObject {
  dropped.push(path);
  const { encrypted_content: _encrypted, ...others } = item;
  return others;
}
