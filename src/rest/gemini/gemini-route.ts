import type { Request, RequestHandler } from 'express';
import { GeminiEmbeddings, type GeminiEmbeddingsMethod } from '../../gateway/capabilities/gemini/gemini-embeddings.ts';
import { geminiEmbeddingsDocument } from '../../gateway/capabilities/gemini/gemini-embeddings-answer.ts';
import { countedGemini, geminiProtocol } from '../../gateway/capabilities/gemini/gemini-protocol.ts';
import { countGeminiTokens } from '../../gateway/capabilities/text/count-tokens.ts';
import { ProviderCounts } from '../../gateway/capabilities/text/provider-counts.ts';
import type { TextCall } from '../../gateway/capabilities/text/text-request.ts';
import { RewrittenResponse } from '../../gateway/rewritten-response.ts';
import { pipelineRoute, readJson, type CapabilityRouteDependencies } from '../capability-route.ts';
import { estimateRoute } from '../estimate-route.ts';
import { textRoute } from '../text-route.ts';
import { decoded, geminiMethods, methodPath, type GeminiMethod } from '../paths/gemini-methods.ts';

/** Tested, because Express would parse the whole query. */
const ALT_SSE = /[?&]alt=sse(?:&|$)/;

/** `POST` requests of `methodPath`, which authenticate and write their own headers. */
export function geminiRoute(deps: CapabilityRouteDependencies): RequestHandler {
  const methods = methodRoutes(deps);
  return (request, response, next): unknown => {
    const method = methodOf(request);
    return method === undefined ? next() : methods[method](request, response, next);
  };
}

function methodRoutes(deps: CapabilityRouteDependencies): Readonly<Record<GeminiMethod, RequestHandler>> {
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
      (ALT_SSE.test(request.url) ? events : array)(request, response, next),
    embedContent: embeddingsRoute(deps, 'embedContent'),
    batchEmbedContents: embeddingsRoute(deps, 'batchEmbedContents'),
    countTokens: estimateRoute(
      deps,
      (request, key, input) => ({ totalTokens: countGeminiTokens({ router, key }, modelOf(request), input) }),
      (request, key, input, { requestId, signal }) => counts.count({ ...call(request), key, input, requestId }, signal),
    ),
  };
}

function embeddingsRoute(deps: CapabilityRouteDependencies, method: GeminiEmbeddingsMethod): RequestHandler {
  return pipelineRoute(deps, readJson, (request, call, input) => {
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
