import express, { type RequestHandler, type Response, type Router } from 'express';
import type { ObjectReach } from '../../gateway/keys/object-reach.ts';
import { readMetadata } from '../../gateway/capabilities/object-metadata.ts';
import { objectIn } from '../../gateway/request-input.ts';
import type { ChatCompletionRow } from '../../services/chat-completions/chat-completion-rows.ts';
import type { ChatCompletionsService } from '../../services/chat-completions/chat-completions.service.ts';
import { readListPage } from '../../services/list-page.ts';
import { keyOf } from '../authentication/caller.ts';
import type { ObjectAccess } from '../authentication/object-access.ts';
import { onlyMethods } from '../http/errors.ts';
import { answerObject, objectList, pageOfList } from '../http/object-list.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { withJsonBody } from '../idempotency/with-idempotency.ts';
import { readCompletionFilter } from './completion-filter.ts';
import { storedMessages } from './stored-messages.ts';

export interface ChatCompletionRouteDependencies {
  readonly chatCompletions: Pick<ChatCompletionsService, 'get' | 'list' | 'messages' | 'remove' | 'update'>;
  readonly access: ObjectAccess;
  readonly idempotency: Idempotency;
}

const path = '/chat/completions';

/** Stored chat completions, for authenticated clients. Source: OpenAI's API document, Chat. */
export function buildChatCompletionsRouter(deps: ChatCompletionRouteDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  const one = onlyMethods('GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS');
  // Completions are created before this router is reached.
  router
    .route(path)
    .get(listCompletions(deps))
    .all(onlyMethods('GET', 'HEAD', 'POST', 'OPTIONS'));
  router
    .route(`${path}/:id`)
    .get(retrieveCompletion(deps))
    .post(updateCompletion(deps))
    .delete(deleteCompletion(deps))
    .all(one);
  router
    .route(`${path}/:id/messages`)
    .get(listMessages(deps))
    .all(onlyMethods('GET', 'HEAD', 'OPTIONS'));
  return router;
}

function listCompletions(deps: ChatCompletionRouteDependencies): RequestHandler {
  return async ({ query }, response) => {
    const page = readListPage({ order: 'asc', ...query });
    const filter = readCompletionFilter(query);
    const { rows, hasMore } = await deps.chatCompletions.list(await reading(deps, response), page, filter);
    answerObject(response, objectList(rows.map(shown), hasMore));
  };
}

function retrieveCompletion(deps: ChatCompletionRouteDependencies): RequestHandler {
  return async (request, response) => {
    const reach = await reading(deps, response);
    answerObject(response, shown(await deps.chatCompletions.get(reach, String(request.params.id))));
  };
}

function updateCompletion({ chatCompletions, access, idempotency }: ChatCompletionRouteDependencies): RequestHandler {
  return withJsonBody(idempotency, async (request, response, body) => {
    const metadata = readMetadata(objectIn(body), true);
    const reach = await access.reachOf(keyOf(response), 'responses.write');
    answerObject(response, shown(await chatCompletions.update(reach, String(request.params.id), metadata)));
  });
}

function deleteCompletion({ chatCompletions, access }: ChatCompletionRouteDependencies): RequestHandler {
  return async (request, response) => {
    const id = String(request.params.id);
    await chatCompletions.remove(await access.reachOf(keyOf(response), 'responses.write'), id);
    answerObject(response, { object: 'chat.completion.deleted', id, deleted: true });
  };
}

function listMessages(deps: ChatCompletionRouteDependencies): RequestHandler {
  return async (request, response) => {
    const id = String(request.params.id);
    const page = readListPage({ order: 'asc', ...request.query });
    const messages = await deps.chatCompletions.messages(await reading(deps, response), id);
    answerObject(response, pageOfList(storedMessages(id, messages), page, 'message'));
  };
}

function reading({ access }: ChatCompletionRouteDependencies, response: Response): Promise<ObjectReach> {
  return access.reachOf(keyOf(response), 'responses.read');
}

function shown({ completion, metadata }: ChatCompletionRow): Readonly<Record<string, unknown>> {
  return { ...completion, metadata };
}
