import express, { type RequestHandler, type Router } from 'express';
import { SluiceError } from '../../errors/index.ts';
import { unknownModel } from '../../gateway/policy/allowed-targets.ts';
import type { ModelDirectory, ModelListing } from '../../gateway/keys/model-directory.ts';
import { usableModel, usableModels } from '../../gateway/routing/models/usable-models.ts';
import { requireCaller, keyOf } from '../authentication/caller.ts';
import type { CapabilityRouteDependencies } from '../capability-route.ts';
import { setStandardHeaders } from '../headers/response-headers.ts';
import { useClientFormat } from '../http/client-format.ts';
import { onlyMethods, unknownUrl } from '../http/errors.ts';
import { refuseUnserved, unservedOfGoogle } from '../http/unserved-endpoints.ts';
import { sendJson } from '../http/send-json.ts';
import { answerPreflight, answerUnauthenticatedOptions } from '../http/preflight.ts';
import { decoded, geminiMethods, methodPath, namedMethod } from '../paths/gemini-methods.ts';
import { geminiRoute } from './gemini-route.ts';
import { googleFormat } from './google-format.ts';
import { keyOfQuery, nameQueryKey } from './query-key.ts';

export interface GeminiRouteDependencies extends CapabilityRouteDependencies {
  readonly models: ModelDirectory;
}

/** `/v1beta` and `/v1`: Google's Gemini API. Source: ai.google.dev/api. */
export function buildGeminiRouter(deps: GeminiRouteDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  router.use(useClientFormat(googleFormat), answerPreflight, answerUnauthenticatedOptions, keyOfQuery);
  router.post(methodPath, geminiRoute(deps));
  router.use(requireCaller(deps));
  router.all(methodPath, onlyMethods('POST', 'OPTIONS'));
  router.use(refuseUnserved(unservedOfGoogle));
  router.post(namedMethod, refuseMethod);
  const reading = onlyMethods('GET', 'HEAD', 'OPTIONS');
  router.route('/models').get(listModels(deps.models)).all(reading);
  router
    .route(/^\/models\/(.+)$/)
    .get(retrieveModel(deps.models))
    .all(reading);
  router.use(unknownUrl, nameQueryKey);
  return router;
}

const refuseMethod: RequestHandler = ({ path }) => {
  const [, method = ''] = namedMethod.exec(path) ?? [];
  const methods = geminiMethods.map((name) => `\`${name}\``).join(', ');
  throw new SluiceError('unknown_method', { values: { method, methods } });
};

function listModels(models: ModelDirectory): RequestHandler {
  return async (_request, response) => {
    const key = keyOf(response);
    await models.ready(key.accountId);
    setStandardHeaders(response);
    sendJson(response, 200, JSON.stringify({ models: usableModels(models, key).map(shownModel) }));
  };
}

function retrieveModel(models: ModelDirectory): RequestHandler {
  return async (request, response) => {
    const key = keyOf(response);
    const name = decoded(request.path.slice('/models/'.length));
    await models.ready(key.accountId);
    const model = usableModel(models, key, name);
    if (model === undefined) throw unknownModel(key, models, name);
    setStandardHeaders(response);
    sendJson(response, 200, JSON.stringify(shownModel(model)));
  };
}

/** Source: ai.google.dev/api/models, Model. */
function shownModel({ id, name, contextWindow, maxOutputTokens, capabilities }: ModelListing): object {
  return {
    name: `models/${id}`,
    displayName: name,
    ...(contextWindow !== null && { inputTokenLimit: contextWindow }),
    ...(maxOutputTokens !== null && { outputTokenLimit: maxOutputTokens }),
    supportedGenerationMethods: [
      ...(capabilities.includes('chat') ? ['generateContent', 'countTokens'] : []),
      ...(capabilities.includes('embeddings') ? ['embedContent', 'batchEmbedContents'] : []),
    ],
  };
}
