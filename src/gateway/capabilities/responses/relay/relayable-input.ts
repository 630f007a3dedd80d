import { SluiceError } from '../../../../errors/index.ts';
import { isObject, listOf, membersOf, type JsonObject } from '../../../../protocols/canonical/json-members.ts';
import type { NamedObject } from '../../../../protocols/canonical/protocol.ts';
import { isSealedHere } from '../../../../protocols/responses/encrypted-content/content-seal.ts';
import { bareItems } from '../../../../protocols/responses/decode-request/bare-items.ts';
import { namedObjects } from '../../../../protocols/responses/provider-objects.ts';
import type { SocketTurn } from '../../../../providers/contract.ts';
import { valueOf, type RequestInput } from '../../../request-input.ts';
import type { Target } from '../../../routing/target.ts';
import { commonHolder, type ObjectHolders } from '../../foreign-objects.ts';
import type { ResponseCall } from '../open-response.ts';
import type { AdaptionDependencies } from './adapted-items.ts';
import { firstRequest, precededRequest, type PrecededRequest } from './preceded-request.ts';
import type { GivenConversation } from './relayed-conversation.ts';

export interface InputDependencies extends AdaptionDependencies {
  /** The client's socket; absent for a request over HTTP. */
  readonly socket?: RelayingSocket;
}

/** A request of a client's socket, and what sockets to providers hold for it. */
export interface RelayingSocket {
  readonly turn: SocketTurn;
  /** The connections, by the ids of responses. */
  readonly held: ReadonlyMap<string, string>;
}

/** What a provider of the protocol may receive of a request. */
export interface RelayableInput {
  /** The client's body. */
  readonly given: JsonObject;
  readonly model: string;
  readonly preceded: PrecededRequest;
  /** The objects at the provider that it names, and items that say nothing but their id. */
  readonly named: readonly NamedObject[];
  /** Those that its client obtained. */
  readonly objects: ObjectHolders;
  /** The connection that holds what it names; absent if any may serve it. */
  readonly heldAt: { readonly connectionId?: string };
}

/**
 * What a provider may receive of a request; null as for `relayable`.
 * @param within the conversation that the request continues; null for none
 * @throws SluiceError not_found | previous_response_not_found | invalid_value | database_unavailable
 */
export async function relayableInput(
  deps: InputDependencies,
  call: Pick<ResponseCall, 'key'>,
  body: RequestInput,
  within: GivenConversation | null,
): Promise<RelayableInput | null> {
  const given = valueOf(body);
  if (!Buffer.isBuffer(body) || !isObject(given) || typeof given.model !== 'string') return null;
  const { model } = given;
  const listed = deps.pipeline.dependencies.router.resolve(model, call.key)?.listed ?? [];
  if (given.background === true || !listed.some(receivesResponses)) return null;
  const request = { body, value: given };
  const preceded = firstRequest(request, within) ?? (await precededRequest(deps, call, request, within));
  if (preceded === null) return null;
  const { value, isContinued, items } = preceded;
  // Of earlier items, targets receive what they can use.
  const checked = items === null ? value : { ...given, previous_response_id: null };
  if (listOf(checked.input).some((item) => isSealedHere(membersOf(item).encrypted_content))) return null;
  const named = [...(items?.named ?? []), ...namedObjects(checked)];
  if (named.some(({ id }) => deps.names.read(id) !== null || deps.names.isItem(id))) return null;
  const bare = listed.some(reliesOnItems) ? bareItems(checked).filter(({ id }) => !deps.names.isItem(id)) : [];
  const place = { given, model, preceded, named: [...named, ...bare] };
  if (place.named.length === 0) {
    requireHolder(deps, call, value.previous_response_id, model);
    return { ...place, objects: noObjects, heldAt: {} };
  }
  const obtained = await ownObjects(deps, call, place.named);
  // Items may have been produced by any provider before.
  const found = new Map([...obtained].filter(([name]) => named.some(({ id }) => id === name)));
  // Another protocol's request may have named what its client did not obtain.
  if (isContinued && named.some((object) => isObtained(object) && !found.has(object.id))) return null;
  const connectionIds = new Set(listed.map(({ connection }) => connection.id));
  const isServed = (holders: readonly string[]): boolean => holders.some((id) => connectionIds.has(id));
  // Another connection would not know what is named.
  if (items !== null && ![...found.values()].every(isServed)) return null;
  requireHolder(deps, call, value.previous_response_id, model);
  return {
    ...place,
    objects: obtained,
    heldAt: found.size > 0 ? heldAt(found, connectionIds) : producer(obtained, connectionIds),
  };
}

const noObjects: ObjectHolders = new Map();

/** Whether a client names it because it obtained it. */
function isObtained({ isItem, isUnknown }: NamedObject): boolean {
  return isItem !== true && isUnknown !== true;
}

async function ownObjects(
  { objects, reachOf, socket }: InputDependencies,
  { key }: Pick<ResponseCall, 'key'>,
  named: readonly NamedObject[],
): Promise<ObjectHolders> {
  const found = new Map<string, readonly string[]>();
  for (const { id } of named) {
    const holder = socket?.held.get(id);
    if (holder !== undefined) found.set(id, [holder]);
  }
  const ids = named.map(({ id }) => id).filter((id) => !found.has(id));
  if (ids.length === 0) return found;
  for (const [id, holders] of await objects.find(await reachOf(key), ids)) found.set(id, holders);
  return found;
}

/**
 * Another connection does not know what a socket holds.
 * @throws SluiceError previous_response_not_found, after which clients of sockets send the whole conversation
 */
function requireHolder(
  { pipeline, socket }: InputDependencies,
  { key }: Pick<ResponseCall, 'key'>,
  previous: unknown,
  model: string,
): void {
  const holder = typeof previous === 'string' ? socket?.held.get(previous) : undefined;
  if (holder === undefined) return;
  const route = pipeline.dependencies.router.resolve(model, key);
  if (route?.listed.some(({ connection }) => connection.id === holder) === true) return;
  const values = { id: String(previous).slice(0, 100) };
  throw new SluiceError('previous_response_not_found', { param: 'previous_response_id', values });
}

/** Whether a target may receive a request as it is. */
function receivesResponses({ connection, upstreamModel }: Target): boolean {
  return (connection.native?.('responses', upstreamModel) ?? null) !== null;
}

/** Whether a connection that accounts share may find items of others by their ids. */
function reliesOnItems({ connection: { id, provider, storesResponses } }: Target): boolean {
  return id === provider && storesResponses !== false;
}

/** Only a connection that holds all objects can serve a request that names them. @throws SluiceError invalid_value */
function heldAt(found: ObjectHolders, connectionIds: ReadonlySet<string>): RelayableInput['heldAt'] {
  const connectionId = commonHolder(found.values(), [...connectionIds, ...[...found.values()].flat()]);
  if (connectionId !== undefined) return { connectionId };
  throw new SluiceError('invalid_value', {
    param: 'input',
    values: { reason: 'it names objects that different providers hold.' },
  });
}

/** Of the connections of the model, one that produced all items which say nothing but their id, if there is one. */
function producer(items: ObjectHolders, connectionIds: ReadonlySet<string>): RelayableInput['heldAt'] {
  const connectionId = items.size === 0 ? undefined : commonHolder(items.values(), connectionIds);
  return connectionId === undefined ? {} : { connectionId };
}
