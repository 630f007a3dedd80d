import express, { type Request, type RequestHandler, type Router } from 'express';
import { SluiceError } from '../../errors/index.ts';
import { countGeminiTokens } from '../../gateway/capabilities/text/count-tokens.ts';
import { GeminiEmbeddings, type GeminiEmbeddingsMethod } from '../../gateway/capabilities/gemini/gemini-embeddings.ts';
import { geminiEmbeddingsDocument } from '../../gateway/capabilities/gemini/gemini-embeddings-answer.ts';
import { RewrittenResponse } from '../../gateway/rewritten-response.ts';
import { countedGemini, geminiProtocol } from '../../gateway/capabilities/gemini/gemini-protocol.ts';
import { ProviderCounts } from '../../gateway/capabilities/text/provider-counts.ts';
import type { TextCall } from '../../gateway/capabilities/text/text-request.ts';
import { isModelAllowed, type ModelDirectory, type ModelListing } from '../../gateway/keys/model-directory.ts';
import { requireCaller, keyOf } from '../authentication/caller.ts';
import { pipelineRoute, readJson, type CapabilityRouteDependencies } from '../capability-route.ts';
import { estimateRoute } from '../estimate-route.ts';
import { setStandardHeaders } from '../headers/response-headers.ts';
import { useClientFormat } from '../http/client-format.ts';
import { onlyMethods, unknownUrl } from '../http/errors.ts';
import { sendJson } from '../http/send-json.ts';
import { answerPreflight, answerUnauthenticatedOptions } from '../http/preflight.ts';
import { textRoute } from '../text-route.ts';
import { geminiMethods, methodPath, type GeminiMethod } from './gemini-methods.ts';
import { googleFormat } from './google-format.ts';

export interface GeminiRouteDependencies extends CapabilityRouteDependencies {
  readonly models: ModelDirectory;
}

/** `/v1beta` and `/v1`: Google's Gemini API. Source: ai.google.dev/api. */
export function buildGeminiRouter(deps: GeminiRouteDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  router.use(useClientFormat(googleFormat), answerPreflight, answerUnauthenticatedOptions, keyOfQuery);
  const methods = methodRoutes(deps);
  router.post(methodPath, (request, response, next) => {
    const method = methodOf(request);
    return method === undefined ? next() : methods[method](request, response, next);
  });
  router.use(requireCaller(deps));
  router.all(methodPath, onlyMethods('POST', 'OPTIONS'));
  const reading = onlyMethods('GET', 'HEAD', 'OPTIONS');
  router.route('/models').get(listModels(deps.models)).all(reading);
  router
    .route(/^\/models\/(.+)$/)
    .get(retrieveModel(deps.models))
    .all(reading);
  router.use(unknownUrl);
  return router;
}

function methodRoutes(deps: GeminiRouteDependencies): Readonly<Record<GeminiMethod, RequestHandler>> {
  const { router } = deps.pipeline.dependencies;
  const counts = new ProviderCounts(deps.pipeline.dependencies, countedGemini);
  const call = (request: Request): TextCall => ({ model: modelOf(request), stream: false, headers: [], query: '' });
  const events = textRoute(deps, geminiProtocol('events'), (request) => ({ ...call(request), stream: true }));
  // Google itself streams an array with other bytes than its events.
  const array = textRoute(deps, geminiProtocol('array'), (request) => ({
    ...call(request),
    stream: true,
    isNativeAllowed: false,
  }));
  return {
    generateContent: textRoute(deps, geminiProtocol('events'), call),
    streamGenerateContent: (request, response, next) =>
      (request.query.alt === 'sse' ? events : array)(request, response, next),
    embedContent: embeddingsRoute(deps, 'embedContent'),
    batchEmbedContents: embeddingsRoute(deps, 'batchEmbedContents'),
    countTokens: estimateRoute(
      deps,
      (request, key, input) => ({ totalTokens: countGeminiTokens({ router, key }, modelOf(request), input) }),
      (request, key, input, { requestId, signal }) => counts.count({ ...call(request), key, input, requestId }, signal),
    ),
  };
}

function embeddingsRoute(deps: GeminiRouteDependencies, method: GeminiEmbeddingsMethod): RequestHandler {
  return pipelineRoute(deps, 'embeddings', readJson, (request, call, input) => {
    const capability = new GeminiEmbeddings(modelOf(request), method);
    const isBatch = method === 'batchEmbedContents';
    const response = new RewrittenResponse(call.response, (document) =>
      capability.isRelayed ? document : geminiEmbeddingsDocument(document, isBatch),
    );
    return deps.pipeline.open(capability, { ...call, response }, input);
  });
}

function methodOf(request: Request): GeminiMethod | undefined {
  const named = methodPath.exec(request.path)?.[2];
  return geminiMethods.find((method) => method === named);
}

function modelOf(request: Request): string {
  return decoded(methodPath.exec(request.path)?.[1] ?? '');
}

/** Google's clients may send the key in the URL. */
const keyOfQuery: RequestHandler = (request, _response, next) => {
  const { key } = request.query;
  if (typeof key === 'string' && request.headers['x-goog-api-key'] === undefined)
    request.headers['x-goog-api-key'] = key;
  next();
};

function listModels(models: ModelDirectory): RequestHandler {
  return async (_request, response) => {
    const key = keyOf(response);
    await models.ready(key.accountId);
    const listed = models.list(key.accountId).filter(({ id }) => isModelAllowed(key, id));
    setStandardHeaders(response);
    sendJson(response, 200, JSON.stringify({ models: listed.map(shownModel) }));
  };
}

function retrieveModel(models: ModelDirectory): RequestHandler {
  return async (request, response) => {
    const key = keyOf(response);
    const name = decoded(request.path.slice('/models/'.length));
    await models.ready(key.accountId);
    const model = models.find(name, key.accountId);
    if (model === undefined || !isModelAllowed(key, model.id))
      throw new SluiceError('model_not_found', { values: { model: name.slice(0, 256) } });
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

/** Text with malformed percent-encoding is returned unchanged: it matches no model. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
