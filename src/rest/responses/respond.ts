import type { IncomingHttpHeaders } from 'node:http';
import { SluiceError } from '../../errors/index.ts';
import type { OpenRequest } from '../../gateway/call.ts';
import {
  openResponse,
  responseEncoder,
  type ResponseCall,
} from '../../gateway/capabilities/responses/open-response.ts';
import { decodeConversationItems, withId } from '../../gateway/capabilities/responses/conversation-body.ts';
import { namedConversation, type NamedConversation } from '../../gateway/capabilities/responses/named-conversation.ts';
import { readResponsesRequest, type ResponsesRequest } from '../../gateway/capabilities/responses/parse.ts';
import type { BackgroundRuns } from '../../gateway/capabilities/responses/background/background-runs.ts';
import { ConvertedRun } from '../../gateway/capabilities/responses/background/converted-run.ts';
import { mayRunInBackground, relayableRun } from '../../gateway/capabilities/responses/background/relayed-run.ts';
import type { RunRequest } from '../../gateway/capabilities/responses/background/run-request.ts';
import { openRelayable } from '../../gateway/capabilities/responses/relay/relayed-response.ts';
import {
  relayable,
  type RelayDependencies,
  type RelayingSocket,
} from '../../gateway/capabilities/responses/relay/relayable-request.ts';
import type { GivenConversation } from '../../gateway/capabilities/responses/relay/relayed-conversation.ts';
import type { ClientResponse } from '../../gateway/client-response.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { RequestInput } from '../../gateway/request-input.ts';
import { readConversationId } from '../../services/conversations/conversation-id.ts';
import { responseNames } from '../../services/responses/response-id.ts';
import { JsonSink, StreamSink, type KeepResponse } from './response-sinks.ts';
import type { ResponseRouteDependencies } from './route-dependencies.ts';

/** What a request for a response needs of its transport: HTTP, or a WebSocket. */
export interface ResponseContext {
  readonly call: ResponseCall;
  readonly headers: IncomingHttpHeaders;
  readonly clientResponse: ClientResponse;
  readonly client: ResponseClient;
  /** Absent for a request over HTTP. */
  readonly socket?: RelayingSocket;
}

export interface ResponseClient {
  /** Whether it has disconnected. */
  isGone(): boolean;
  /** Notifies the request when it disconnects. */
  follow(openRequest: OpenRequest): void;
  /** Starts a background response, and answers with it. */
  startInBackground(request: RunRequest, stored: Parameters<BackgroundRuns['start']>[2]): Promise<void>;
}

/** Relays the request to a provider of its protocol, or converts it. */
export async function respond(
  deps: ResponseRouteDependencies,
  context: ResponseContext,
  body: RequestInput,
): Promise<void> {
  const { call, clientResponse, client, socket } = context;
  const { named, given, within } = inConversation(deps, body, call.eventId);
  const relaying = { ...relayDependencies(deps), ...(socket && { socket }) };
  const run =
    within === null && mayRunInBackground(given) ? await relayableRun(relaying, call, context.headers, given) : null;
  if (run !== null) return client.startInBackground(run, run.stored);
  const relayed = await relayable(relaying, { ...call, response: clientResponse }, context.headers, given, within);
  if (relayed === null) return convert(deps, context, given, named?.id ?? null);
  const openRequest = openRelayable(deps.pipeline, relayed);
  // The client may have disconnected while objects were looked up.
  if (client.isGone()) openRequest.onClientDisconnect();
  else client.follow(openRequest);
}

/** What relaying needs. */
export function relayDependencies(deps: ResponseRouteDependencies): RelayDependencies {
  const { pipeline, objects, access, responses, earlier } = deps;
  return {
    pipeline,
    objects,
    names: responseNames,
    earlier,
    reachOf: (key) => access.reachOf(key, 'responses.read'),
    store: (response) => responses.storeSoon(response),
  };
}

/**
 * A body, and the conversation kept here that it names; null for none.
 * @param eventId of the request that continues it; null for one that adds nothing
 * @throws SluiceError invalid_value
 */
export function inConversation(
  { conversations }: Pick<ResponseRouteDependencies, 'conversations'>,
  body: RequestInput,
  eventId: string | null,
): {
  readonly named: NamedConversation | null;
  readonly given: RequestInput;
  readonly within: GivenConversation | null;
} {
  const named = namedConversation(body, (id) => readConversationId(id) !== null);
  const within = named === null ? null : { id: named.id, eventId, store: conversations };
  return { named, given: named?.body ?? body, within };
}

/** @param conversation the id of one that is kept here; null for none */
async function convert(
  deps: ResponseRouteDependencies,
  context: ResponseContext,
  body: RequestInput,
  conversation: string | null,
): Promise<void> {
  const { call, clientResponse, client } = context;
  const parsed = readResponsesRequest(body);
  const given = call.key.zeroRetention === true ? notStored(parsed) : parsed;
  const found = deps.earlier.needs(given)
    ? await deps.earlier.resolve(await deps.access.reachOf(call.key, 'responses.read'), given)
    : null;
  const earlier =
    conversation === null ? (found?.before ?? []) : await itemsOfConversation(deps, call.key, conversation);
  const request: ResponsesRequest = {
    ...given,
    input: [...earlier, ...(found?.input ?? given.input)],
    ...(conversation !== null && { conversation: { id: conversation } }),
  };
  const stored = { input: found?.input ?? given.input, previousId: found?.previousId ?? null };
  if (given.background === true) return client.startInBackground(new ConvertedRun(request), stored);
  const keep: KeepResponse = (answered, costNano) => {
    if (conversation !== null && (answered.status === 'completed' || answered.status === 'incomplete')) {
      const output: object[] = Array.isArray(answered.output) ? answered.output : [];
      const items = [...stored.input, ...output].map(withId);
      void deps.conversations.addSoon(call.key.accountId, conversation, call.eventId, items);
    }
    if (given.store === false) return;
    const { eventId: id, key } = call;
    deps.responses.storeSoon({ id, key, model: given.model, ...stored, response: answered, costNano });
  };
  const sink = request.stream === true ? new StreamSink(clientResponse, keep) : new JsonSink(clientResponse, keep);
  const encoder = responseEncoder(deps.pipeline, responseNames, call, request);
  const openRequest = openResponse(deps.pipeline, call, request, sink, encoder);
  // The client may have disconnected while the previous response was loaded.
  if (client.isGone()) openRequest.onClientDisconnect();
  else client.follow(openRequest);
}

/** @throws SluiceError not_found | database_unavailable */
async function itemsOfConversation(
  { conversations, access }: ResponseRouteDependencies,
  key: KeyRecord,
  id: string,
): Promise<readonly ResponsesRequest['input'][number][]> {
  return decodeConversationItems(await conversations.content(await access.reachOf(key, 'responses.read'), id));
}

/** @throws SluiceError zero_retention */
function notStored(request: ResponsesRequest): ResponsesRequest {
  if (request.background === true)
    throw new SluiceError('zero_retention', {
      param: 'background',
      values: { what: 'A background response', next: 'Omit `background`.' },
    });
  return { ...request, store: false };
}
