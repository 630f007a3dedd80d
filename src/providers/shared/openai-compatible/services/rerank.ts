import { pathSegments } from '../../http/path-segment.ts';
import type { Send } from '../../../contract.ts';
import { answerPromise } from '../../http/answer-promise.ts';
import { readTokenCount } from '../../embeddings/embeddings-document.ts';
import { refuseOrDrop } from '../../../../protocols/canonical/parameter-policy.ts';
import { parsedAnswer, postedJson } from '../../http/posted-json.ts';
import { isObject, membersOf } from '../../../../protocols/canonical/json-members.ts';
import { rerankingInput, rerankDocument, type RerankOutcome } from '../../rerank/rerank-document.ts';
import { documentTexts, unsupportedRerankParameters, type RerankRequest } from '../../rerank/rerank-request.ts';
import type { ServiceClient } from './service-client.ts';

type Json = Readonly<Record<string, unknown>>;

/** How a server's reranking differs from Jina's. Absent members are as at Jina. */
export interface RerankShape {
  /** The complete path, from that of `/rerank`; `model` is encoded. */
  readonly path?: (path: string, model: string) => string;
  /** Its name of `top_n`. */
  readonly topN?: string;
  /** The optional parameters that it supports. */
  readonly supportedParams?: readonly string[];
  /** Builds the complete body, if it is not Jina's. */
  readonly body?: (request: RerankRequest, texts: readonly string[]) => Json;
  /** Reads its response. */
  readonly outcome?: (answer: Json) => RerankOutcome;
}

/** `POST /rerank`. Returned documents are copied from the request: not every provider returns them. */
export function sendRerank(client: ServiceClient, shape: RerankShape = {}): Send<RerankRequest> {
  const { provider, upstream } = client;
  const { supportedParams = [], outcome = readOutcome } = shape;
  return ({ request, model, parameters }, receiver) => {
    const dropped = refuseOrDrop(provider, unsupportedRerankParameters(request, supportedParams), parameters);
    const ranking = rerankingInput(provider, model, request);
    const defaultPath = client.path('/rerank', model);
    const path = shape.path === undefined ? defaultPath : shape.path(defaultPath, pathSegments(model));
    const body = JSON.stringify(bodyOf(shape, request, model));
    answerPromise(receiver, async (signal) => {
      const answer = await postedJson({ provider, upstream, path, body, signal });
      return rerankDocument(ranking, outcome(parsedAnswer(provider, answer)));
    });
    return dropped;
  };
}

function bodyOf(
  { body, topN = 'top_n', supportedParams = [] }: RerankShape,
  request: RerankRequest,
  model: string,
): Json {
  const texts = documentTexts(request);
  if (body !== undefined) return body(request, texts);
  const further = supportedParams.flatMap((name) =>
    request[name] === undefined ? [] : [[name, request[name]] as const],
  );
  return {
    model,
    query: request.query,
    documents: texts,
    ...(typeof request.top_n === 'number' && { [topN]: request.top_n }),
    ...Object.fromEntries(further),
  };
}

/** Jina's and Cohere's `results`; Voyage and Fireworks name them `data`. */
function readOutcome({ id, results, data, usage, meta }: Json): RerankOutcome {
  const list: unknown = results ?? data;
  const items: unknown[] = Array.isArray(list) ? list : [null];
  const used = membersOf(usage);
  const billed = membersOf(membersOf(meta).billed_units);
  return {
    id: typeof id === 'string' ? id : null,
    results: items.map((item) =>
      isObject(item) ? { index: item.index, score: item.relevance_score } : { index: null, score: null },
    ),
    tokens: readTokenCount(used.total_tokens ?? used.prompt_tokens),
    searchUnits: readTokenCount(billed.search_units ?? used.search_units),
  };
}
