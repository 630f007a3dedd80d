import { SluiceError } from '../../../../errors/index.ts';
import { isObject, listOf, membersOf, objectsOf } from '../../../../protocols/canonical/json-members.ts';
import type { NamedObject } from '../../../../protocols/canonical/protocol.ts';
import { isSealedHere } from '../../../../protocols/responses/encrypted-content/content-seal.ts';
import { itemsOf } from '../../../../protocols/responses/decode-request.ts';
import { namedObjects } from '../../../../protocols/responses/provider-objects.ts';
import type { HeaderMap, SocketTurn } from '../../../../providers/contract.ts';
import { withMembers } from '../../../../providers/shared/http/request-body.ts';
import type { Call } from '../../../call.ts';
import { valueOf, type RequestInput } from '../../../request-input.ts';
import { continuedRequest } from './continued-request.ts';
import { conversationRequest, type ConversationDependencies, type GivenConversation } from './relayed-conversation.ts';
import { isRelayable, type RelayableRequest } from './relayed-response.ts';
import type { NewResponse } from '../background/run-store.ts';

export interface RelayDependencies extends ConversationDependencies {
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
 * where it continues a response that is stored here and its provider stores responses itself, and where it contains what only
 * Sluice can decrypt.
 * @param within the conversation that the request continues; null for none
 * @throws SluiceError not_found | invalid_value | database_unavailable
 */
export async function relayable(
  deps: RelayDependencies,
  call: Call,
  headers: HeaderMap,
  body: RequestInput,
  within: GivenConversation | null = null,
): Promise<RelayableRequest | null> {
  const given = valueOf(body);
  if (!Buffer.isBuffer(body) || !isObject(given) || typeof given.model !== 'string') return null;
  const { model } = given;
  if (given.background === true || !isRelayable(deps.pipeline, model, call.key.accountId)) return null;
  const request = { body, value: given };
  const inConversation = within === null ? null : await conversationRequest(deps, call.key, request, within);
  if (within !== null && inConversation === null) return null;
  const conversation = inConversation?.conversation ?? null;
  const continued = conversation === null ? await continuedRequest(deps, call.key, body, given) : null;
  const { value, body: sent } = continued ?? inConversation ?? request;
  // Of a conversation, targets receive what they can use.
  const checked = conversation === null ? value : given;
  if (listOf(checked.input).some((item) => isSealedHere(membersOf(item).encrypted_content))) return null;
  const named = [...(conversation?.named ?? []), ...namedObjects(checked)];
  if (named.some(({ id }) => deps.names.read(id) !== null || deps.names.isItem(id))) return null;
  const found = await ownObjects(deps, call, named);
  // Another protocol's request may have named what its client did not obtain.
  if (continued !== null && named.some(({ id }) => !found.has(id))) return null;
  if (conversation !== null && !isServedBy(deps, call, model, found.values())) return null;
  requireHolder(deps, call, value.previous_response_id, model);
  const isStored = value.store !== false && call.key.zeroRetention !== true;
  const { id: apiKeyId, accountId } = call.key;
  const previousId = continued?.previousId ?? null;
  return {
    call: withConnection(call, found),
    input: isStored || value.store === false ? sent : withMembers(sent, { store: 'false' }),
    headers: forwardedHeaders(headers),
    objects: new Set(found.keys()),
    names: deps.names,
    named,
    isStored,
    continues: continued?.publicId ?? null,
    conversation,
    turn: deps.socket?.turn ?? null,
    keep(request, converted, costNano) {
      conversation?.add(converted, null);
      if (!isStored) return;
      const { eventId: id, key } = call;
      const response = conversation === null ? converted : { ...converted, conversation: { id: conversation.id } };
      const input = value === given ? request.input : objectsOf(itemsOf(given.input));
      deps.store({ id, key, model, input, previousId, response, costNano });
    },
    keepRelayed(response, costNano) {
      const status = endedStatuses.find((name) => name === response.status);
      if (status === undefined) return;
      const input = objectsOf(itemsOf(given.input));
      const { eventId: id, key } = call;
      const shown = conversation !== null && { conversation: { id: conversation.id } };
      deps.store({ id, key, model, input, previousId, response: { ...response, ...shown, status }, costNano });
    },
    onObtained: (obtained) => deps.objects.record({ accountId, apiKeyId, ...obtained }),
  };
}

async function ownObjects(
  { objects, reachOf, socket }: RelayDependencies,
  { key }: Call,
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
function requireHolder({ pipeline, socket }: RelayDependencies, { key }: Call, previous: unknown, model: string): void {
  const holder = typeof previous === 'string' ? socket?.held.get(previous) : undefined;
  if (holder === undefined) return;
  const route = pipeline.dependencies.router.resolve(model, key.accountId);
  if (route?.listed.some(({ connection }) => connection.id === holder) === true) return;
  const values = { id: String(previous).slice(0, 100) };
  throw new SluiceError('previous_response_not_found', { param: 'previous_response_id', values });
}

/** Whether the model is served by the connections that hold what is named: another one would not know it. */
function isServedBy({ pipeline }: RelayDependencies, { key }: Call, model: string, holders: Iterable<string>): boolean {
  const listed = pipeline.dependencies.router.resolve(model, key.accountId)?.listed ?? [];
  return [...holders].every((holder) => listed.some(({ connection }) => connection.id === holder));
}

/** Only the connection that holds the objects can serve a request that names them. */
function withConnection(call: Call, found: ReadonlyMap<string, string>): Call {
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
