import { membersOf, objectsOf, textOf, type JsonObject } from '../../../../protocols/canonical/json-members.ts';
import type { NamedObject } from '../../../../protocols/canonical/protocol.ts';
import { itemsOf } from '../../../../protocols/responses/decode-request.ts';
import { isSealedHere } from '../../../../protocols/responses/encrypted-content/content-seal.ts';
import { namedObjects } from '../../../../protocols/responses/provider-objects.ts';
import type { Connection } from '../../../../providers/contract.ts';
import { mapItems } from '../../../../providers/shared/http/request-body.ts';
import type { KeyRecord } from '../../../keys/key-directory.ts';
import type { ObjectReach } from '../../../keys/object-reach.ts';
import { tryParse } from '../../json-text.ts';
import type { RelayedDocument } from '../../text/text-request.ts';
import { withId } from '../conversation-body.ts';
import { isInput, ItemAdapter } from './conversation-items.ts';
import { withEarlierItems, type ContinuationDependencies, type ExtendedRequest } from './continued-request.ts';
import type { ObjectDirectory } from './object-directory.ts';

type StoredItem = JsonObject & { readonly id: string };

/** The conversations that are kept here. */
export interface ConversationStore {
  /** All items, oldest first. @throws SluiceError not_found | invalid_value if it is too long | database_unavailable */
  content(reach: ObjectReach, publicId: string): Promise<readonly StoredItem[]>;
  /** Adds items without waiting. */
  addSoon(accountId: string, publicId: string, items: readonly StoredItem[]): void;
}

/** A conversation that is kept here, which the body of the request does not name. */
export interface GivenConversation {
  readonly id: string;
  readonly store: ConversationStore;
}

export interface ConversationDependencies extends ContinuationDependencies {
  readonly objects: ObjectDirectory;
}

/** Its status, where its items become part of a conversation. */
const complete: ReadonlySet<unknown> = new Set(['completed', 'incomplete']);

/** A conversation that is kept here, within one request that continues it. */
export class RelayedConversation {
  readonly id: string;
  /** What clients named in it at a provider: only the connection that holds these can serve the request. */
  readonly named: readonly NamedObject[];
  readonly #deps: ConversationDependencies;
  readonly #key: KeyRecord;
  readonly #store: ConversationStore;
  readonly #holders: ReadonlyMap<string, string>;
  readonly #length: number;
  readonly #input: readonly JsonObject[];

  /** @param before its items @param input those of the request */
  constructor(
    deps: ConversationDependencies,
    key: KeyRecord,
    given: GivenConversation,
    content: {
      readonly before: readonly JsonObject[];
      readonly input: readonly JsonObject[];
      readonly holders: ReadonlyMap<string, string>;
    },
  ) {
    this.#deps = deps;
    this.#key = key;
    this.id = given.id;
    this.#store = given.store;
    this.#holders = content.holders;
    this.#length = content.before.length;
    this.#input = content.input;
    this.named = content.before
      .filter(isInput)
      .flatMap((item) => namedObjects(item).map((object) => ({ id: object.id, path: 'conversation' })));
  }

  /** The body for a connection that receives it as it is: with what it may receive of the conversation. */
  bodyFor(connection: Connection, body: Buffer): Buffer {
    const { names } = this.#deps;
    const origins = { holders: this.#holders, isOwnItem: (id: string): boolean => names.isItem(id) };
    const adapter = new ItemAdapter(connection, origins);
    return mapItems(body, 'input', (bytes, index) => {
      if (index >= this.#length) return bytes;
      const item = membersOf(tryParse(bytes.toString()));
      const adapted = adapter.adapt(item);
      return adapted === item ? bytes : adapted && Buffer.from(JSON.stringify(adapted));
    });
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
    this.#store.addSoon(accountId, this.id, [...this.#input.map(withId), ...output]);
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
  deps: ConversationDependencies,
  key: KeyRecord,
  request: { readonly body: Buffer; readonly value: JsonObject },
  given: GivenConversation,
): Promise<ConversationRequest | null> {
  const { body, value } = request;
  const own = itemsOf(value.input);
  if (!Array.isArray(own)) return null;
  const reach = await deps.reachOf(key);
  const before = await given.store.content(reach, given.id);
  if (before.some(({ type, encrypted_content: sealed }) => type === 'compaction' && isSealedHere(sealed))) return null;
  const ids = new Set(before.flatMap((item) => [item.id, ...namedObjects(item).map((object) => object.id)]));
  const holders = ids.size === 0 ? new Map<string, string>() : await deps.objects.find(reach, [...ids]);
  const conversation = new RelayedConversation(deps, key, given, { before, input: objectsOf(own), holders });
  return { ...withEarlierItems(body, value, before, own), conversation };
}
