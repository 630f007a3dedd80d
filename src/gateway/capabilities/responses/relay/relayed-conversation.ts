import { objectsOf, textOf, type JsonObject } from '../../../../protocols/canonical/json-members.ts';
import { itemsOf } from '../../../../protocols/responses/decode-request.ts';
import { isSealedHere } from '../../../../protocols/responses/encrypted-content/content-seal.ts';
import type { KeyRecord } from '../../../keys/key-directory.ts';
import type { ObjectReach } from '../../../keys/object-reach.ts';
import type { RelayedDocument } from '../../text/text-request.ts';
import { withId } from '../conversation-body.ts';
import { AdaptedItems, holdersOf, type AdaptionDependencies } from './adapted-items.ts';
import { withEarlierItems, type ExtendedRequest } from './continued-request.ts';

type StoredItem = JsonObject & { readonly id: string };

/** The conversations that are kept here. */
export interface ConversationStore {
  /** All items but those of the event, oldest first. @throws SluiceError not_found | invalid_value if it is too long | database_unavailable */
  content(reach: ObjectReach, publicId: string, eventId: string | null): Promise<readonly StoredItem[]>;
  /** Adds the items of a request and its response, once for each event. @returns when they are stored; never rejects */
  addSoon(accountId: string, publicId: string, eventId: string | null, items: readonly StoredItem[]): Promise<void>;
}

/** A conversation that is kept here, which the body of the request does not name. */
export interface GivenConversation {
  readonly id: string;
  /** The request that continues it; null for one that adds nothing. */
  readonly eventId: string | null;
  readonly store: ConversationStore;
}

/** Its status, where its items become part of a conversation. */
const complete: ReadonlySet<unknown> = new Set(['completed', 'incomplete']);

/** A conversation that is kept here, within one request that continues it. */
export class RelayedConversation {
  readonly id: string;
  readonly items: AdaptedItems;
  readonly #deps: AdaptionDependencies;
  readonly #key: KeyRecord;
  readonly #eventId: string | null;
  readonly #store: ConversationStore;
  readonly #input: readonly JsonObject[];

  /** @param items those before the request @param input those of the request */
  constructor(
    deps: AdaptionDependencies,
    key: KeyRecord,
    given: GivenConversation,
    { items, input }: { readonly items: AdaptedItems; readonly input: readonly JsonObject[] },
  ) {
    this.#deps = deps;
    this.#key = key;
    this.id = given.id;
    this.#eventId = given.eventId;
    this.#store = given.store;
    this.items = items;
    this.#input = input;
  }

  /** Adds the items of the request and of its response, where that is complete. @param relayed null where it was converted */
  add(response: JsonObject, relayed: RelayedDocument | null): void {
    if (!complete.has(response.status)) return;
    const output = objectsOf(response.output).map(withId);
    const { accountId, id: apiKeyId } = this.#key;
    if (relayed !== null) {
      const { connection } = relayed;
      const isKept = (item: JsonObject): boolean =>
        connection.storesResponses === false || item.type !== 'reasoning' || textOf(item.encrypted_content) !== null;
      // What its provider stores is recorded by itself. Reasoning that it neither stores nor encrypts cannot be sent again.
      const objectIds = output.filter(isKept).map(({ id }) => id);
      this.#deps.objects.record({ accountId, apiKeyId, connectionId: connection.id, objectIds });
    }
    void this.#store.addSoon(accountId, this.id, this.#eventId, [...this.#input.map(withId), ...output]);
  }
}

/** A request that continues a conversation which is kept here. */
export interface ConversationRequest extends ExtendedRequest {
  readonly conversation: RelayedConversation;
}

/**
 * A request with the items of a conversation that is kept here before its own.
 * @returns null where its input is invalid, and where the conversation was compacted here: the request is converted then
 * @throws SluiceError not_found | invalid_value | database_unavailable
 */
export async function conversationRequest(
  deps: AdaptionDependencies,
  key: KeyRecord,
  request: { readonly body: Buffer; readonly value: JsonObject },
  given: GivenConversation,
): Promise<ConversationRequest | null> {
  const { body, value } = request;
  const own = itemsOf(value.input);
  if (!Array.isArray(own)) return null;
  const reach = await deps.reachOf(key);
  const before = await given.store.content(reach, given.id, given.eventId);
  if (before.some(({ type, encrypted_content: sealed }) => type === 'compaction' && isSealedHere(sealed))) return null;
  const items = new AdaptedItems(deps.names, before, await holdersOf(deps.objects, reach, before), 'conversation');
  const conversation = new RelayedConversation(deps, key, given, { items, input: objectsOf(own) });
  return { ...withEarlierItems(body, value, before, own), conversation };
}
