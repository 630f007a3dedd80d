import express, { type Request, type RequestHandler, type Router } from 'express';
import { SluiceError } from '../../errors/index.ts';
import {
  readConversationItems,
  readConversationMetadata,
} from '../../gateway/capabilities/responses/conversation-body.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { RequestInput } from '../../gateway/request-input.ts';
import { publicConversationId, readConversationId } from '../../services/conversations/conversation-id.ts';
import type {
  ConversationRow,
  ConversationsService,
  StoredItem,
} from '../../services/conversations/conversations.service.ts';
import { readListPage } from '../../services/list-page.ts';
import { keyOf } from '../authentication/caller.ts';
import { onlyMethods } from '../http/errors.ts';
import { forwardObject, type AboutObject, type ObjectForwarding } from '../responses/forward-object.ts';
import { answerObject, objectList } from '../http/object-list.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { withJsonBody } from '../idempotency/with-idempotency.ts';
import { shownItem } from '../responses/input-items.ts';

export interface ConversationRouteDependencies extends ObjectForwarding {
  readonly conversations: ConversationsService;
  readonly idempotency: Idempotency;
}

/** `/conversations`, for authenticated clients. Source: OpenAI's API document, Conversations. */
export function buildConversationsRouter(deps: ConversationRouteDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  const posting = onlyMethods('POST', 'OPTIONS');
  const one = onlyMethods('GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS');
  const items = onlyMethods('GET', 'HEAD', 'POST', 'OPTIONS');
  const item = onlyMethods('GET', 'HEAD', 'DELETE', 'OPTIONS');
  router.route('/conversations').post(writing(deps, createConversation)).all(posting);
  router
    .route('/conversations/:id')
    .get(orForwarded(deps, 'GET', '', retrieveConversation(deps)))
    .post(writing(deps, updateConversation, ''))
    .delete(orForwarded(deps, 'DELETE', '', deleteConversation(deps)))
    .all(one);
  router
    .route('/conversations/:id/items')
    .get(orForwarded(deps, 'GET', '/items', listItems(deps)))
    .post(writing(deps, createItems, '/items'))
    .all(items);
  router
    .route('/conversations/:id/items/:item')
    .get(orForwarded(deps, 'GET', '/items/', retrieveItem(deps)))
    .delete(orForwarded(deps, 'DELETE', '/items/', deleteItem(deps)))
    .all(item);
  return router;
}

/** Handles the body of a `POST`. @returns the body of the response */
type Write = (
  deps: ConversationRouteDependencies,
  key: KeyRecord,
  request: Request,
  input: RequestInput,
) => Promise<object>;

/** @param suffix of the path, of a conversation that a provider holds; null for a route without one */
function writing(deps: ConversationRouteDependencies, write: Write, suffix: string | null = null): RequestHandler {
  return withJsonBody(deps.idempotency, async (request, response, body) => {
    if (suffix !== null && isAtProvider(request))
      return forwardObject(deps, request, response, { ...about(request, 'POST', suffix), body });
    answerObject(response, await write(deps, keyOf(response), request, body));
  });
}

/** The handler of a conversation that is stored here; a request about another is forwarded to the provider that holds it. */
function orForwarded(
  deps: ConversationRouteDependencies,
  method: AboutObject['method'],
  suffix: string,
  handle: RequestHandler,
): RequestHandler {
  return (request, response, next) =>
    isAtProvider(request)
      ? forwardObject(deps, request, response, about(request, method, suffix))
      : handle(request, response, next);
}

function isAtProvider(request: Request): boolean {
  return readConversationId(String(request.params.id)) === null;
}

/** @throws SluiceError not_found for an item whose id could be another path */
function about({ params }: Request, method: AboutObject['method'], suffix: string): AboutObject {
  const { id, item = '' } = params;
  if (!/^[\w-]*$/.test(String(item))) throw new SluiceError('not_found', { values: { what: 'item' } });
  return { method, what: 'conversation', id: String(id), suffix: `${suffix}${String(item)}` };
}

const createConversation: Write = async ({ conversations }, { id, accountId, zeroRetention }, _request, input) => {
  if (zeroRetention === true)
    throw new SluiceError('zero_retention', {
      values: { what: 'A conversation', next: 'Send the complete input with each request.' },
    });
  const metadata = readConversationMetadata(input, false);
  const items = readConversationItems(input, false);
  return shownConversation(await conversations.create({ accountId, apiKeyId: id }, metadata, items));
};

const updateConversation: Write = async ({ conversations, access }, key, request, input) => {
  const metadata = readConversationMetadata(input, true);
  const reach = await access.reachOf(key, 'responses.write');
  return shownConversation(await conversations.update(reach, String(request.params.id), metadata));
};

const createItems: Write = async ({ conversations, access }, key, request, input) => {
  const items = readConversationItems(input, true);
  const reach = await access.reachOf(key, 'responses.write');
  await conversations.add(reach, String(request.params.id), items);
  return shownList(items, false);
};

function retrieveConversation({ conversations, access }: ConversationRouteDependencies): RequestHandler {
  return async (request, response) => {
    const reach = await access.reachOf(keyOf(response), 'responses.read');
    answerObject(response, shownConversation(await conversations.get(reach, String(request.params.id))));
  };
}

function deleteConversation({ conversations, access }: ConversationRouteDependencies): RequestHandler {
  return async (request, response) => {
    const id = String(request.params.id);
    await conversations.remove(await access.reachOf(keyOf(response), 'responses.write'), id);
    answerObject(response, { id, object: 'conversation.deleted', deleted: true });
  };
}

function listItems({ conversations, access }: ConversationRouteDependencies): RequestHandler {
  return async (request, response) => {
    const reach = await access.reachOf(keyOf(response), 'responses.read');
    const page = await conversations.items(reach, String(request.params.id), readListPage(request.query));
    answerObject(response, shownList(page.items, page.hasMore));
  };
}

function retrieveItem({ conversations, access }: ConversationRouteDependencies): RequestHandler {
  return async (request, response) => {
    const { id, item } = request.params;
    const reach = await access.reachOf(keyOf(response), 'responses.read');
    const found = await conversations.item(reach, String(id), String(item));
    answerObject(response, shownItem(found, found.id));
  };
}

function deleteItem({ conversations, access }: ConversationRouteDependencies): RequestHandler {
  return async (request, response) => {
    const { id, item } = request.params;
    const reach = await access.reachOf(keyOf(response), 'responses.write');
    answerObject(response, shownConversation(await conversations.removeItem(reach, String(id), String(item))));
  };
}

function shownConversation({ id, metadata, createdAt }: ConversationRow): object {
  return {
    id: publicConversationId(id),
    object: 'conversation',
    created_at: createdAt,
    metadata,
  };
}

function shownList(items: readonly StoredItem[], hasMore: boolean): object {
  return objectList(
    items.map((item) => shownItem(item, item.id)),
    hasMore,
  );
}
