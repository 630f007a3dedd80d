import express, { type RequestHandler, type Response, type Router } from 'express';
import { unknownModel } from '../../gateway/policy/allowed-targets.ts';
import type { ModelDirectory, ModelListing } from '../../gateway/keys/model-directory.ts';
import { usableModel, usableModels } from '../../gateway/routing/models/usable-models.ts';
import { sendJson } from '../http/send-json.ts';
import { isAnthropicClient } from '../messages/anthropic-client.ts';
import { anthropicModel, anthropicModelsPage } from '../messages/models-page.ts';
import { keyOf } from '../authentication/caller.ts';
import { onlyMethods } from '../http/errors.ts';
import { setStandardHeaders } from '../headers/response-headers.ts';

/** `GET /models` and `GET /models/{id}`, for authenticated clients. */
export function buildModelsRouter(models: ModelDirectory): Router {
  const router = express.Router({ caseSensitive: true });
  const reading = onlyMethods('GET', 'HEAD', 'OPTIONS');
  router.route('/models').get(listModels(models)).all(reading);
  router.route(modelPath).get(retrieveModel(models)).all(reading);
  return router;
}

/** The ID is the rest of the path. It may contain `/` and `:`, percent-encoded or not. */
const modelPath = /^\/models\/./;

function listModels(models: ModelDirectory): RequestHandler {
  return async (request, response) => {
    const key = keyOf(response);
    await models.ready(key.accountId);
    const allowed = usableModels(models, key);
    if (isAnthropicClient(request.headers)) return answer(response, anthropicModelsPage(allowed, request.query));
    answer(response, { object: 'list', data: allowed.map(renderModel) });
  };
}

function retrieveModel(models: ModelDirectory): RequestHandler {
  return async (request, response) => {
    const name = decode(request.path.slice('/models/'.length));
    const key = keyOf(response);
    await models.ready(key.accountId);
    const model = usableModel(models, key, name);
    if (model === undefined) throw unknownModel(key, models, name, { param: 'model' });
    answer(response, isAnthropicClient(request.headers) ? anthropicModel(model) : renderModel(model));
  };
}

/** Text with malformed percent-encoding is returned unchanged: it matches no model. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** OpenAI's four members, then those of Sluice. */
function renderModel(model: ModelListing): object {
  return {
    id: model.id,
    object: 'model',
    created: model.created,
    owned_by: model.ownedBy,
    name: model.name,
    provider: model.provider,
    context_window: model.contextWindow,
    max_output_tokens: model.maxOutputTokens,
    input_modalities: model.inputModalities,
    output_modalities: model.outputModalities,
    capabilities: model.capabilities,
    pricing: model.pricing,
  };
}

function answer(response: Response, body: object): void {
  setStandardHeaders(response);
  sendJson(response, 200, JSON.stringify(body));
}
