import type { RerankingModelV4CallOptions } from '@ai-sdk/provider';
import { SluiceError } from '../../../errors/index.ts';
import type { Send } from '../../contract.ts';
import { answerPromise } from '../../shared/http/answer-promise.ts';
import { readTokenCount } from '../../shared/embeddings/embeddings-document.ts';
import { refuseOrDrop } from '../../../protocols/canonical/parameter-policy.ts';
import { membersOf } from '../../../protocols/canonical/json-members.ts';
import { rerankingInput, rerankDocument } from '../../shared/rerank/rerank-document.ts';
import { documentTexts, unsupportedRerankParameters, type RerankRequest } from '../../shared/rerank/rerank-request.ts';
import { packageCall, type PackageCallContext } from '../package/package-call.ts';

/** The provider-specific options in addition to query, documents and `top_n`. */
export interface RerankDialect {
  readonly supportedParams: readonly string[];
  readonly options?: (request: RerankRequest) => RerankingModelV4CallOptions['providerOptions'];
}

/** Reranking through a package. */
export function packageRerank(context: PackageCallContext, dialect: RerankDialect): Send<RerankRequest> {
  const { provider } = context;
  return ({ request, model, parameters }, receiver) => {
    const dropped = refuseOrDrop(provider, unsupportedRerankParameters(request, dialect.supportedParams), parameters);
    const input = rerankingInput(provider, model, request);
    const providerOptions = dialect.options?.(request);
    const call: RerankingModelV4CallOptions = {
      query: request.query,
      documents: { type: 'text', values: [...documentTexts(request)] },
      ...(typeof request.top_n === 'number' && { topN: request.top_n }),
      ...(providerOptions && { providerOptions }),
    };
    answerPromise(receiver, async (signal) => {
      const { rerank } = await context.models();
      if (rerank === undefined) throw new SluiceError('model_not_found', { values: { model } });
      const { ranking, response } = await packageCall(context, signal, 'documents', (abortSignal) =>
        rerank(model).doRerank({ ...call, abortSignal }),
      );
      return rerankDocument(input, {
        id: response?.id ?? null,
        results: ranking.map(({ index, relevanceScore }) => ({ index, score: relevanceScore })),
        tokens: null,
        searchUnits: searchUnitsIn(response?.body),
      });
    });
    return dropped;
  };
}

/** Cohere's `meta.billed_units.search_units`. */
function searchUnitsIn(body: unknown): number | null {
  const meta = membersOf(membersOf(body).meta);
  return readTokenCount(membersOf(meta.billed_units).search_units);
}
