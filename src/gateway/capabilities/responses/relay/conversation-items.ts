import { isObject, listOf, membersOf, textOf, type JsonObject } from '../../../../protocols/canonical/json-members.ts';
import { namedObjects } from '../../../../protocols/responses/provider-objects.ts';
import type { ObjectHolders } from '../../foreign-objects.ts';
import type { Connection } from '../../../../providers/contract.ts';

/** Items that mean something only to the provider that produced them: reasoning by its id or encrypted, and references. */
const bound: ReadonlySet<string> = new Set(['reasoning', 'compaction', 'item_reference']);
/** Items that clients and models exchange; others are calls of tools that a provider runs, and their outputs. */
const exchanged =
  /^(?:message|(?:function|custom_tool|local_shell|shell|apply_patch|tool_search)_call(?:_output)?|additional_tools)$/;

/** Where the items of a conversation are sent. */
export type ItemTarget = Pick<Connection, 'id' | 'provider' | 'storesResponses'>;

/** What is known of a conversation's items. */
export interface ItemOrigins {
  /** The connections that produced items and hold what they name, by the ids of both. */
  readonly holders: ObjectHolders;
  /** Whether an id is one of an item that was converted here. */
  isOwnItem(id: string): boolean;
}

/** Whether a client gave the item: what it names is then required, not decoration. */
export function isInput(item: JsonObject): boolean {
  const type = textOf(item.type) ?? 'message';
  return type === 'message' ? item.role !== 'assistant' : type.endsWith('_output');
}

/**
 * Adapts the items of a conversation, in their order, to a connection. Those that it produced itself stay as they are. Of the
 * others it does not receive what only their own provider understands: reasoning, calls of hosted tools, and, where it
 * stores items, ids. OpenAI looks stored reasoning up by its id, and requires it before an item whose id it knows.
 */
export class ItemAdapter {
  readonly #target: ItemTarget;
  readonly #origins: ItemOrigins;
  /** Ids of items that were left out, and of their calls. */
  readonly #omitted = new Set<string>();

  constructor(target: ItemTarget, origins: ItemOrigins) {
    this.#target = target;
    this.#origins = origins;
  }

  /** @returns the same object if nothing is changed; null for an item that is left out */
  adapt(item: JsonObject): JsonObject | null {
    const adapted = this.#adapted(item);
    if (adapted === null)
      for (const id of [item.id, item.call_id]) if (typeof id === 'string' && id !== '') this.#omitted.add(id);
    return adapted;
  }

  #adapted(item: JsonObject): JsonObject | null {
    const { holders, isOwnItem } = this.#origins;
    const id = textOf(item.id) ?? '';
    const type = textOf(item.type) ?? 'message';
    const held = holders.get(id) ?? [];
    if (held.includes(this.#target.id)) return this.#withoutForeign(item);
    if (bound.has(type) || this.#answersOmitted(item)) return null;
    if (!exchanged.test(type)) return held.length > 0 || isOwnItem(id) ? null : this.#withoutForeign(item);
    const { id: _id, ...others } = item;
    return this.#withoutForeign(this.#target.storesResponses === false || !('id' in item) ? item : others);
  }

  /** The output of a call that was left out is refused. */
  #answersOmitted({ call_id: call, approval_request_id: approval }: JsonObject): boolean {
    return [call, approval].some((id) => typeof id === 'string' && this.#omitted.has(id));
  }

  /** What a client gave stays: it is refused where it names another client's object. */
  #withoutForeign(item: JsonObject): JsonObject | null {
    if (isInput(item) || !this.#namesForeign(item)) return item;
    const { results: _results, ...others } = item;
    const reduced = item.type === 'message' ? withoutAnnotations(item) : others;
    return this.#namesForeign(reduced) ? null : reduced;
  }

  /** On a connection that accounts share, what is not known to be the client's is foreign. */
  #namesForeign(item: JsonObject): boolean {
    const { id, provider } = this.#target;
    const { id: _id, ...others } = item;
    return namedObjects(others).some((object) => {
      // Providers add members to the items that they produce.
      if (object.isUnknown === true) return false;
      const holders = this.#origins.holders.get(object.id);
      return holders === undefined ? id === provider : !holders.includes(id);
    });
  }
}

function withoutAnnotations(message: JsonObject): JsonObject {
  const content = listOf(message.content).map((part) =>
    isObject(part) && 'annotations' in part ? { ...membersOf(part), annotations: [] } : part,
  );
  return { ...message, content };
}
