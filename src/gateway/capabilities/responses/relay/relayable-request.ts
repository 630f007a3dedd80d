import { SluiceError } from '../../../../errors/index.ts';
import { isObject, listOf, membersOf, objectsOf } from '../../../../protocols/canonical/json-members.ts';
import type { NamedObject } from '../../../../protocols/canonical/protocol.ts';
import { isSealedHere } from '../../../../protocols/responses/encrypted-content/content-seal.ts';
import { itemsOf } from '../../../../protocols/responses/decode-request.ts';
import { bareItems } from '../../../../protocols/responses/decode-request/bare-items.ts';
import { namedObjects } from '../../../../protocols/responses/provider-objects.ts';
import type { HeaderMap, SocketTurn } from '../../../../providers/contract.ts';
import { withMembers } from '../../../../providers/shared/http/request-body.ts';
import { valueOf, type RequestInput } from '../../../request-input.ts';
import type { ResponseCall } from '../open-response.ts';
import type { AdaptionDependencies } from './adapted-items.ts';
import { precededRequest } from './preceded-request.ts';
import type { GivenConversation } from './relayed-conversation.ts';
import { isRelayable, type RelayableRequest } from './relayed-response.ts';
import type { NewResponse } from '../background/run-store.ts';

export interface RelayDependencies extends AdaptionDependencies {
  /** The client's socket; absent for a request over HTTP. */
  readonly socket?: RelayingSocket;
  /** Stores a converted response. */
  store(response: NewResponse): void;
}

/** A request of a client's socket, and what sockets to providers hold for it. */
export interface RelayingSocket {
  readonly turn: SocketTurn;
  /** The connections, by the ids of responses. */
  readonly held: ReadonlyMap<string, string>;
}

const endedStatuses = ['completed', 'incomplete', 'failed'] as const;

/** Headers of OpenAI's clients that belong to the protocol. Sources: OpenAI's API reference; requests of Codex 0.169. */
const forwarded: ReadonlySet<string> = new Set([
  'openai-beta',
  'originator',
  'session-id',
  'thread-id',
  'x-client-request-id',
]);
const forwardedPrefix = /^x-(?:codex|openai-internal-codex)-/;

/**
 * The request as a provider of its protocol may receive it; null where none serves its model, where it runs in the background,
 * where it continues a response that is stored here and that was converted, and where it contains what only Sluice can decrypt.
 * @param within the conversation that the request continues; null for none
 * @throws SluiceError not_found | invalid_value | database_unavailable
 */
export async function relayable<Given extends ResponseCall>(
  deps: RelayDependencies,
  call: Given,
  headers: HeaderMap,
  body: RequestInput,
  within: GivenConversation | null = null,
): Promise<RelayableRequest<Given> | null> {
  const given = valueOf(body);
  if (!Buffer.isBuffer(body) || !isObject(given) || typeof given.model !== 'string') return null;
  const { model } = given;
  if (given.background === true || !isRelayable(deps.pipeline, model, call.key.accountId)) return null;
  const preceded = await precededRequest(deps, call, { body, value: given }, within);
  if (preceded === null) return null;
  const { value, body: sent, conversation, isContinued, items, previousId, continues } = preceded;
  // Of earlier items, targets receive what they can use.
  const checked = items === null ? value : { ...given, previous_response_id: null };
  if (listOf(checked.input).some((item) => isSealedHere(membersOf(item).encrypted_content))) return null;
  const named = [...(items?.named ?? []), ...namedObjects(checked)];
  if (named.some(({ id }) => deps.names.read(id) !== null || deps.names.isItem(id))) return null;
  const bare = reliesOnItems(deps, call, model) ? bareItems(checked).filter(({ id }) => !deps.names.isItem(id)) : [];
  const obtained = await ownObjects(deps, call, [...named, ...bare]);
  // Items may have been produced by any provider before.
  const found = new Map([...obtained].filter(([name]) => named.some(({ id }) => id === name)));
  // Another protocol's request may have named what its client did not obtain.
  if (isContinued && named.some(({ id }) => !found.has(id))) return null;
  if (items !== null && !isServedBy(deps, call, model, found.values())) return null;
  requireHolder(deps, call, value.previous_response_id, model);
  const isStored = value.store !== false && call.key.zeroRetention !== true;
  const { id: apiKeyId, accountId } = call.key;
  const stored = { input: objectsOf(itemsOf(given.input)), previousId };
  return {
    call: withConnection(call, found),
    input: isStored || value.store === false ? sent : withMembers(sent, { store: 'false' }),
    headers: forwardedHeaders(headers),
    objects: new Set(obtained.keys()),
    names: deps.names,
    named: [...named, ...bare],
    isStored,
    continues,
    stored,
    items,
    conversation,
    turn: deps.socket?.turn ?? null,
    ...keeping(deps, call, { model, isStored, stored, conversation, hasEarlier: value !== given }),
    onObtained: (obtained) => deps.objects.record({ accountId, apiKeyId, ...obtained }),
  };
}

interface Keeping extends Pick<RelayableRequest, 'isStored' | 'stored' | 'conversation'> {
  readonly model: string;
  /** Whether earlier items precede those of the client's request. */
  readonly hasEarlier: boolean;
}

/** Stores the response, by the id of its request. */
function keeping(
  deps: RelayDependencies,
  { eventId: id, key }: ResponseCall,
  { model, isStored, stored, conversation, hasEarlier }: Keeping,
): Pick<RelayableRequest, 'keep' | 'keepRelayed'> {
  const shown = conversation !== null && { conversation: { id: conversation.id } };
  return {
    keep(request, converted, costNano) {
      conversation?.add(converted, null);
      if (!isStored) return;
      const input = hasEarlier ? stored.input : request.input;
      const { previousId } = stored;
      deps.store({ id, key, model, input, previousId, response: { ...converted, ...shown }, costNano });
    },
    keepRelayed(response, costNano) {
      const status = endedStatuses.find((name) => name === response.status);
      if (status === undefined) return;
      deps.store({ id, key, model, ...stored, response: { ...response, ...shown, status }, costNano });
    },
  };
}

async function ownObjects(
  { objects, reachOf, socket }: RelayDependencies,
  { key }: ResponseCall,
  named: readonly NamedObject[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { id } of named) {
    const holder = socket?.held.get(id);
    if (holder !== undefined) found.set(id, holder);
  }
  const ids = named.map(({ id }) => id).filter((id) => !found.has(id));
  if (ids.length === 0) return found;
  for (const [id, holder] of await objects.find(await reachOf(key), ids)) found.set(id, holder);
  return found;
}

/**
 * Another connection does not know what a socket holds.
 * @throws SluiceError previous_response_not_found, after which clients of sockets send the whole conversation
 */
function requireHolder(
  { pipeline, socket }: RelayDependencies,
  { key }: ResponseCall,
  previous: unknown,
  model: string,
): void {
  const holder = typeof previous === 'string' ? socket?.held.get(previous) : undefined;
  if (holder === undefined) return;
  const route = pipeline.dependencies.router.resolve(model, key.accountId);
  if (route?.listed.some(({ connection }) => connection.id === holder) === true) return;
  const values = { id: String(previous).slice(0, 100) };
  throw new SluiceError('previous_response_not_found', { param: 'previous_response_id', values });
}

/** Whether a connection that accounts share may find items of others by their ids. */
function reliesOnItems({ pipeline }: RelayDependencies, { key }: ResponseCall, model: string): boolean {
  const listed = pipeline.dependencies.router.resolve(model, key.accountId)?.listed ?? [];
  return listed.some(
    ({ connection: { id, provider, storesResponses } }) => id === provider && storesResponses !== false,
  );
}

/** Whether the model is served by the connections that hold what is named: another one would not know it. */
function isServedBy(
  { pipeline }: RelayDependencies,
  { key }: ResponseCall,
  model: string,
  holders: Iterable<string>,
): boolean {
  const listed = pipeline.dependencies.router.resolve(model, key.accountId)?.listed ?? [];
  return [...holders].every((holder) => listed.some(({ connection }) => connection.id === holder));
}

/** Only the connection that holds the objects can serve a request that names them. */
function withConnection<Given extends ResponseCall>(call: Given, found: ReadonlyMap<string, string>): Given {
  const [connectionId, ...others] = new Set(found.values());
  if (connectionId === undefined) return call;
  if (others.length > 0)
    throw new SluiceError('invalid_value', {
      param: 'input',
      values: { reason: 'it names objects that different providers hold.' },
    });
  return { ...call, connectionId };
}

/** Names and values in turn. */
function forwardedHeaders(headers: HeaderMap): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && (forwarded.has(name) || forwardedPrefix.test(name)) ? [name, value] : [],
  );
}
