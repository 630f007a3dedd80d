import type { IncomingHttpHeaders } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { SluiceError, toSluiceError } from '../../errors/index.ts';
import type { BackgroundRuns } from '../../gateway/capabilities/responses/background/background-runs.ts';
import {
  droppedMembers,
  openResponse,
  responseEncoder,
  type ResponseCall,
} from '../../gateway/capabilities/responses/open-response.ts';
import { withId } from '../../gateway/capabilities/responses/conversation-body.ts';
import { namedConversation } from '../../gateway/capabilities/responses/named-conversation.ts';
import {
  decodeItems,
  readResponsesRequest,
  type ResponsesRequest,
} from '../../gateway/capabilities/responses/parse.ts';
import type { NewResponse } from '../../gateway/capabilities/responses/background/run-store.ts';
import type { ClientResponse } from '../../gateway/client-response.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { RequestInput } from '../../gateway/request-input.ts';
import { readConversationId } from '../../services/conversations/conversation-id.ts';
import { RewrittenResponse } from '../../gateway/rewritten-response.ts';
import { responseNames } from '../../services/responses/response-id.ts';
import { setStandardHeaders } from '../headers/response-headers.ts';
import { sendJson } from '../http/send-json.ts';
import { openRelayable } from '../../gateway/capabilities/responses/relayed-response.ts';
import { relayable } from '../../gateway/capabilities/responses/relayable-request.ts';
import { keyOf } from '../authentication/caller.ts';
import { readJson } from '../capability-route.ts';
import { HttpClientResponse } from '../http/http-client-response.ts';
import { followResponse } from './follow-response.ts';
import { rejectAtEdge } from '../http/reject-at-edge.ts';
import type { ResponseRouteDependencies } from './route-dependencies.ts';
import { JsonSink, StreamSink, type KeepResponse } from './response-sinks.ts';
import { identityOf, readCacheHeader, readSessionHeader, readTagsHeader } from '../headers/request-headers.ts';

/** How a route differs from `POST /responses`. */
export interface ResponseVariant {
  input(input: RequestInput): RequestInput;
  /** @throws SluiceError for a document that is none of the route */
  document(document: Buffer): Buffer;
}

/** `POST /responses`. A request without a reference to stored items does not wait for the database. */
export function createResponse(
  deps: ResponseRouteDependencies,
  variant: ResponseVariant | null = null,
): RequestHandler {
  return (request, real) => {
    const key = keyOf(real);
    const claimed = deps.idempotency.begin(request, real, key);
    const response = claimed?.response ?? real;
    const identity = identityOf(response);
    const http = new HttpClientResponse(response, identity, key, deps.limits);
    const clientResponse = variant === null ? http : new RewrittenResponse(http, (body) => variant.document(body));
    const fail = (error: unknown): void => {
      if (!request.readableEnded && !response.headersSent) response.setHeader('connection', 'close');
      rejectAtEdge(deps.pipeline, { key, identity, clientResponse, capability: 'chat' }, toSluiceError(error));
    };
    try {
      const call = callOf(request, response);
      readJson(
        request,
        key,
        (read) => {
          const body = variant === null ? read : variant.input(read);
          const run = (): void =>
            void answer(deps, { call, headers: request.headers, http, clientResponse, response }, body).catch(fail);
          if (claimed === null) run();
          else claimed.claim(read, run, fail);
        },
        (error: SluiceError) => fail(error),
      );
    } catch (error) {
      fail(error);
    }
  };
}

interface ResponseContext {
  readonly call: ResponseCall;
  readonly headers: IncomingHttpHeaders;
  /** Of the client's connection. */
  readonly http: HttpClientResponse;
  readonly clientResponse: ClientResponse;
  readonly response: Response;
}

function callOf(request: Request, response: Response): ResponseCall {
  const { eventId, requestId, startedAt } = identityOf(response);
  const [cacheMs, tags] = [readCacheHeader(request), readTagsHeader(request)];
  const session = readSessionHeader(request);
  return { key: keyOf(response), eventId, requestId, startedAt, cacheMs, tags, session, watch: null };
}

async function answer(deps: ResponseRouteDependencies, context: ResponseContext, body: RequestInput): Promise<void> {
  const { call, http, clientResponse } = context;
  const { pipeline, objects, access, responses } = deps;
  const named = namedConversation(body, (id) => readConversationId(id) !== null);
  if (named !== null) return convert(deps, context, named.body, named.id);
  const relaying = {
    pipeline,
    objects,
    names: responseNames,
    reachOf: (key: KeyRecord) => access.reachOf(key, 'responses.read'),
    store: (response: NewResponse) => responses.storeSoon(response),
  };
  const relayed = await relayable(relaying, { ...call, response: clientResponse }, context.headers, body);
  if (relayed === null) return convert(deps, context, body);
  const openRequest = openRelayable(deps.pipeline, relayed);
  // The client may have disconnected while objects were looked up.
  if (context.response.destroyed) openRequest.onClientDisconnect();
  else http.follow(openRequest);
}

/** @param conversation the id of one that is kept here; null for none */
async function convert(
  deps: ResponseRouteDependencies,
  context: ResponseContext,
  body: RequestInput,
  conversation: string | null = null,
): Promise<void> {
  const { call, http, clientResponse, response } = context;
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
  if (given.background === true) return inBackground(deps, context, request, stored);
  const keep: KeepResponse = (answered, costNano) => {
    if (conversation !== null) {
      const output: object[] = Array.isArray(answered.output) ? answered.output : [];
      const items = [...stored.input, ...output].map(withId);
      deps.conversations.addSoon(call.key.accountId, conversation, items);
    }
    if (given.store === false) return;
    const { eventId: id, key } = call;
    deps.responses.storeSoon({ id, key, model: given.model, ...stored, response: answered, costNano });
  };
  const sink = request.stream === true ? new StreamSink(clientResponse, keep) : new JsonSink(clientResponse, keep);
  const openRequest = openResponse(deps.pipeline, call, request, sink, responseEncoder(responseNames, call, request));
  // The client may have disconnected while the previous response was loaded.
  if (response.destroyed) openRequest.onClientDisconnect();
  else http.follow(openRequest);
}

/** @throws SluiceError not_found | database_unavailable */
async function itemsOfConversation(
  { conversations, access }: ResponseRouteDependencies,
  key: KeyRecord,
  id: string,
): Promise<readonly ResponsesRequest['input'][number][]> {
  return decodeItems(await conversations.content(await access.reachOf(key, 'responses.read'), id));
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

async function inBackground(
  deps: ResponseRouteDependencies,
  { call, response }: ResponseContext,
  request: ResponsesRequest,
  stored: Parameters<BackgroundRuns['start']>[2],
): Promise<void> {
  const dropped = droppedMembers(request);
  const queued = await deps.runs.start(call, request, stored);
  if (dropped.length > 0) response.setHeader('x-sluice-dropped-params', dropped.join(', '));
  if (request.stream === true)
    return followResponse(
      deps,
      response,
      { accountId: call.key.accountId, apiKeyId: call.key.id },
      String(queued.id),
      -1,
    );
  setStandardHeaders(response);
  sendJson(response, 200, JSON.stringify(queued));
}
