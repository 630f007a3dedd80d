import { membersOf, textOf, type JsonObject } from '../../../../protocols/canonical/json-members.ts';
import type { NamedObject } from '../../../../protocols/canonical/protocol.ts';
import { itemsOf } from '../../../../protocols/responses/decode-request.ts';
import { isSealedHere } from '../../../../protocols/responses/encrypted-content/content-seal.ts';
import { namedObjects } from '../../../../protocols/responses/provider-objects.ts';
import type { Connection } from '../../../../providers/contract.ts';
import { mapItems } from '../../../../providers/shared/http/request-body.ts';
import type { KeyRecord } from '../../../keys/key-directory.ts';
import type { ObjectReach } from '../../../keys/object-reach.ts';
import { tryParse } from '../../../json-text.ts';
import type { ObjectHolders } from '../../foreign-objects.ts';
import type { ResponseNames } from '../response-names.ts';
import { isInput, ItemAdapter } from './conversation-items.ts';
import { withEarlierItems, type ContinuationDependencies, type ContinuedRequest } from './continued-request.ts';
import type { ObjectDirectory } from './object-directory.ts';

export interface AdaptionDependencies extends ContinuationDependencies {
  readonly objects: ObjectDirectory;
}

/** Items before those of a request, of which each connection receives what it can use. */
export class AdaptedItems {
  /** What clients named in them at a provider: only the connection that holds these can serve the request. */
  readonly named: readonly NamedObject[];
  readonly #names: ResponseNames;
  readonly #holders: ObjectHolders;
  readonly #length: number;

  /** @param path of what is named, in the client's request */
  constructor(names: ResponseNames, before: readonly JsonObject[], holders: ObjectHolders, path: NamedObject['path']) {
    this.#names = names;
    this.#holders = holders;
    this.#length = before.length;
    this.named = before.filter(isInput).flatMap((item) =>
      namedObjects(item)
        // An item has an id of its own.
        .filter((object) => object.isUnknown !== true || object.path !== 'id')
        .map((object) => ({ ...object, path })),
    );
  }

  /** The body for a connection that receives it as it is. */
  bodyFor(connection: Connection, body: Buffer): Buffer {
    const origins = { holders: this.#holders, isOwnItem: (id: string): boolean => this.#names.isItem(id) };
    const adapter = new ItemAdapter(connection, origins);
    return mapItems(body, 'input', (bytes, index) => {
      if (index >= this.#length) return bytes;
      const item = membersOf(tryParse(bytes.toString()));
      const adapted = adapter.adapt(item);
      return adapted === item ? bytes : adapted && Buffer.from(JSON.stringify(adapted));
    });
  }
}

/** The connections that produced items and hold what they name, by the ids of both. @throws SluiceError database_unavailable */
export async function holdersOf(
  objects: ObjectDirectory,
  reach: ObjectReach,
  items: readonly JsonObject[],
): Promise<ObjectHolders> {
  const named = items.flatMap((item) => [textOf(item.id), ...namedObjects(item).map(({ id }) => id)]);
  const ids = new Set(named.filter((id) => id !== null));
  return ids.size === 0 ? new Map() : objects.find(reach, [...ids]);
}

/** A request that continues a response which is stored here and which a provider of its protocol produced. */
export interface AdaptedRequest extends ContinuedRequest {
  readonly items: AdaptedItems;
}

/**
 * @returns null where no connection of the model produced any of the items, where its input is invalid, and where the conversation
 * was compacted here: the request is converted then
 * @throws SluiceError previous_response_not_found | database_unavailable
 */
export async function adaptedRequest(
  deps: AdaptionDependencies,
  key: KeyRecord,
  { body, value }: { readonly body: Buffer; readonly value: JsonObject },
): Promise<AdaptedRequest | null> {
  const publicId = textOf(value.previous_response_id);
  const previousId = publicId === null ? null : deps.names.read(publicId);
  const own = itemsOf(value.input ?? []);
  if (publicId === null || previousId === null || !Array.isArray(own)) return null;
  const reach = await deps.reachOf(key);
  const before = (await deps.earlier.conversation(reach, publicId)).map(membersOf);
  if (before.some(({ type, encrypted_content: sealed }) => type === 'compaction' && isSealedHere(sealed))) return null;
  const holders = await holdersOf(deps.objects, reach, before);
  const listed = deps.pipeline.dependencies.router.resolve(textOf(value.model) ?? '', key)?.listed ?? [];
  const producers = new Set(before.flatMap(({ id }) => holders.get(textOf(id) ?? '') ?? []));
  if (!listed.some(({ connection }) => producers.has(connection.id))) return null;
  const items = new AdaptedItems(deps.names, before, holders, 'previous_response_id');
  return { ...withEarlierItems(body, value, before, own), previousId, publicId, items };
}
