import type { Call, OpenRequest } from '../call.ts';
import { decodeConversationItems, withId } from '../capabilities/responses/conversation-body.ts';
import type { EarlierItems } from '../capabilities/responses/earlier-items.ts';
import { namedConversation } from '../capabilities/responses/named-conversation.ts';
import { openResponse, responseEncoder } from '../capabilities/responses/open-response.ts';
import { readResponsesRequest } from '../capabilities/responses/parse.ts';
import { relayable, type RelayDependencies } from '../capabilities/responses/relay/relayable-request.ts';
import type { ConversationStore, GivenConversation } from '../capabilities/responses/relay/relayed-conversation.ts';
import { openRelayable } from '../capabilities/responses/relay/relayed-response.ts';
import type { ResponseSink } from '../capabilities/responses/response-converter.ts';
import type { ResponsesRequest } from '../../protocols/responses/decode-request/schema.ts';
import type { ClientResponse } from '../client-response.ts';
import type { RequestInput } from '../request-input.ts';
import type { OpenBatchResponse } from './open-line.ts';

export interface BatchResponseDependencies extends RelayDependencies {
  readonly earlier: Pick<EarlierItems, 'needs' | 'resolve' | 'conversation'>;
  readonly conversations: ConversationStore;
  /** Whether an id is one of a conversation that is kept here: others are the provider's. */
  isConversation(id: string): boolean;
}

/**
 * Runs requests of `POST /v1/responses` that no client is connected for; they are stored like others. The turn of a conversation
 * is stored before its response ends: a line whose result is recorded does not run again.
 */
export function batchResponses(deps: BatchResponseDependencies): OpenBatchResponse {
  return async (given, body) => {
    const named = namedConversation(body, (id) => deps.isConversation(id));
    if (named === null) return open(deps, given, body, null);
    const turn = new ConversationTurn(deps.conversations);
    const within: GivenConversation = { id: named.id, eventId: given.eventId, store: turn };
    return open(deps, { ...given, response: turn.endedAfter(given.response) }, named.body, within);
  };
}

async function open(
  deps: BatchResponseDependencies,
  call: Call,
  body: RequestInput,
  within: GivenConversation | null,
): Promise<void> {
  const relayed = await relayable(deps, call, {}, body, within);
  if (relayed !== null) openRelayable(deps.pipeline, relayed);
  else await convert(deps, call, body, within);
}

async function convert(
  deps: BatchResponseDependencies,
  call: Call,
  body: RequestInput,
  within: GivenConversation | null,
): Promise<OpenRequest> {
  const given = readResponsesRequest(body);
  const found = deps.earlier.needs(given) ? await deps.earlier.resolve(await deps.reachOf(call.key), given) : null;
  const earlier = within === null ? (found?.before ?? []) : await itemsOf(deps, call, within);
  const request: ResponsesRequest = {
    ...given,
    input: [...earlier, ...(found?.input ?? given.input)],
    ...(within !== null && { conversation: { id: within.id } }),
  };
  const stored = { input: found?.input ?? given.input, previousId: found?.previousId ?? null };
  const { eventId: id, key, response: client } = call;
  const sink: ResponseSink = {
    head: (head) => client.head(head),
    send: () => true,
    end: (response, _events, costNano) => {
      const output: object[] = Array.isArray(response.output) ? response.output : [];
      if (response.status === 'completed' || response.status === 'incomplete')
        void within?.store.addSoon(key.accountId, within.id, id, [...stored.input, ...output].map(withId));
      if (given.store !== false) deps.store({ id, key, model: given.model, ...stored, response, costNano });
      client.end(Buffer.from(JSON.stringify(response)), costNano);
    },
    refuse: (error, routed) => client.fail(error, routed),
    abort: () => client.abort(),
  };
  const encoder = responseEncoder(deps.pipeline, deps.names, call, request);
  return openResponse(deps.pipeline, call, request, sink, encoder);
}

/** @throws SluiceError not_found | invalid_value | database_unavailable */
async function itemsOf(
  { reachOf }: BatchResponseDependencies,
  { key }: Call,
  { id, eventId, store }: GivenConversation,
): Promise<ResponsesRequest['input']> {
  return [...decodeConversationItems(await store.content(await reachOf(key), id, eventId))];
}

/** A conversation's store within one request, whose response ends once its items are stored. */
class ConversationTurn implements ConversationStore {
  readonly #store: ConversationStore;
  #adding: Promise<void> = Promise.resolve();

  constructor(store: ConversationStore) {
    this.#store = store;
  }

  content(...asked: Parameters<ConversationStore['content']>): ReturnType<ConversationStore['content']> {
    return this.#store.content(...asked);
  }

  addSoon(...added: Parameters<ConversationStore['addSoon']>): Promise<void> {
    this.#adding = this.#store.addSoon(...added);
    return this.#adding;
  }

  endedAfter(response: ClientResponse): ClientResponse {
    return {
      head: (head) => response.head(head),
      write: (bytes) => response.write(bytes),
      // The items of a relayed response are added right after its end.
      end: (bytes, costNano) =>
        void Promise.resolve().then(async () => {
          await this.#adding;
          response.end(bytes, costNano);
        }),
      fail: (error, routed) => response.fail(error, routed),
      abort: () => response.abort(),
    };
  }
}
