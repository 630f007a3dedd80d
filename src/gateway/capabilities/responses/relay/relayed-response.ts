import type { JsonObject } from '../../../../protocols/canonical/json-members.ts';
import type { NamedObject } from '../../../../protocols/canonical/protocol.ts';
import type { ResponsesRequest } from '../../../../protocols/responses/decode-request/schema.ts';
import type { SocketTurn } from '../../../../providers/contract.ts';
import type { OpenRequest, Call } from '../../../call.ts';
import type { ClientResponse } from '../../../client-response.ts';
import type { Pipeline } from '../../../pipeline.ts';
import type { ParsedInput, RequestInput } from '../../../request-input.ts';
import type { ObjectHolders } from '../../foreign-objects.ts';
import { responseOf } from '../../text/protocol-response.ts';
import { TextCapability } from '../../text/text-capability.ts';
import type { ObtainedObjects, RelayedDocument } from '../../text/text-request.ts';
import { ConversationResponse } from './conversation-response.ts';
import { KeptResponse } from './kept-response.ts';
import type { AdaptedItems } from './adapted-items.ts';
import type { RelayedConversation } from './relayed-conversation.ts';
import { responsesProtocol, type KeepConverted } from './responses-protocol.ts';
import type { NewResponse } from '../background/run-store.ts';
import type { ResponseCall } from '../open-response.ts';
import type { ProviderCopy } from '../provider-copies.ts';
import type { ResponseNames } from '../response-names.ts';

/** Longer ids are no provider's. */
const MAX_ID_LENGTH = 256;

/** A request that a provider may receive as it is. */
export interface RelayableRequest<Given extends ResponseCall = Call> {
  readonly call: Given;
  readonly input: RequestInput;
  /** The value of the input, where it is known. */
  readonly parsed: ParsedInput | null;
  /** Headers that are forwarded: names and values in turn. */
  readonly headers: readonly string[];
  /** Ids of the objects at the provider that its client obtained. */
  readonly objects: ObjectHolders;
  readonly names: ResponseNames;
  /** The objects at the provider that the request names. */
  readonly named: readonly NamedObject[];
  /** Whether the provider is asked to store the response. */
  readonly isStored: boolean;
  /** Stores the response, where it is converted. */
  readonly keep: KeepConverted;
  /** Stores the response, where it is relayed from a provider that does not store it. */
  readonly keepRelayed: (response: JsonObject, costNano: bigint | null) => void;
  /** The response that it continues, where the provider does not know it: its public id; null for none. */
  readonly continues: string | null;
  /** What is stored with the response. */
  readonly stored: Pick<NewResponse, 'input' | 'previousId'>;
  /** Items before its own, of which targets receive what they can use; null for none. */
  readonly items: AdaptedItems | null;
  /** The conversation kept here that it continues; null for none. */
  readonly conversation: RelayedConversation | null;
  /** As `NativeContext.turn`. */
  readonly turn: SocketTurn | null;
  /** Stores which objects the client obtained, where the response is relayed. */
  readonly onObtained: (objects: ObtainedObjects) => void;
}

/** Runs a request whose response is relayed, or converted where its provider has another protocol. */
export function openRelayable(pipeline: Pipeline, request: RelayableRequest): OpenRequest {
  const { call, names, isStored, continues, conversation, keepRelayed: keep } = request;
  const { protocol, capability } = relayOf(pipeline, request, call.eventId);
  const id = isStored ? names.response(call.eventId) : null;
  const client = conversation === null ? call.response : inConversation(call.response, conversation, capability);
  const kept =
    isStored || continues !== null
      ? new KeptResponse(client, { id, continues, relayed: () => capability.relayed, keep })
      : client;
  return open(pipeline, request, { protocol, capability, response: kept, isNotified: false });
}

/**
 * The same in the background: nothing is stored by itself, and failures are left to the response.
 * @param responseId the UUID of the response, which may be run again by another request
 * @returns also what the provider stores of it so far; null for nothing
 */
export function openRecorded(
  pipeline: Pipeline,
  request: RelayableRequest,
  responseId: string,
): { readonly openRequest: OpenRequest; readonly copy: () => ProviderCopy | null } {
  const { protocol, capability } = relayOf(pipeline, { ...request, keep: () => undefined }, responseId);
  const { response } = request.call;
  const openRequest = open(pipeline, request, { protocol, capability, response, isNotified: true });
  return { openRequest, copy: () => (request.isStored ? copyOf(capability.relayed) : null) };
}

function copyOf(relayed: RelayedDocument | null): ProviderCopy | null {
  if (relayed === null || relayed.connection.storesResponses === false) return null;
  const { id, store } = relayed.response;
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_LENGTH || !id.isWellFormed()) return null;
  return store === false ? null : { connectionId: relayed.connection.id, id };
}

type Protocol = ReturnType<typeof responsesProtocol>;
type RelayingCapability = TextCapability<ResponsesRequest | null>;

interface Relay {
  readonly protocol: Protocol;
  readonly capability: RelayingCapability;
}

interface OpenedRelay extends Relay {
  readonly response: ClientResponse;
  readonly isNotified: boolean;
}

function relayOf(
  pipeline: Pipeline,
  { call, headers, objects, names, named, isStored, items, turn, keep, parsed }: RelayableRequest,
  responseId: string,
): Relay {
  const seal = pipeline.dependencies.seals.of(call.key.accountId);
  const protocol = responsesProtocol({ names, named, seal, keep, isStored, items, responseId });
  return { protocol, capability: new TextCapability(protocol, { headers, query: '', objects, turn }, parsed) };
}

function open(
  pipeline: Pipeline,
  { call, input, onObtained }: RelayableRequest,
  { protocol, capability, response: client, isNotified }: OpenedRelay,
): OpenRequest {
  const onRelayed = (): void => {
    const { obtained } = capability;
    if (obtained !== null) onObtained(obtained);
  };
  const response = responseOf(protocol, capability, { ...call, response: client }, onRelayed, isNotified);
  return pipeline.open(capability, { ...call, response }, input);
}

/** Names the conversation in a response, and adds its items where it is relayed. */
function inConversation(
  response: ClientResponse,
  conversation: RelayedConversation,
  capability: Pick<TextCapability<unknown>, 'relayed'>,
): ClientResponse {
  return new ConversationResponse(response, conversation.id, () => {
    const { relayed } = capability;
    if (relayed !== null) conversation.add(relayed.response, relayed);
  });
}
