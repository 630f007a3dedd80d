import type { EmbeddingModelV4CallOptions } from '@ai-sdk/provider';
import { SluiceError } from '../../../errors/index.ts';
import type { Send } from '../../contract.ts';
import { answerPromise } from '../../shared/http/answer-promise.ts';
import { eachPart } from '../../shared/http/concurrent-parts.ts';
import { sizeOf, splitInputs, textsOf, type CallLimits } from '../../shared/embeddings/embedding-inputs.ts';
import { embeddingsDocument, requestedEncoding, readTokenCount } from '../../shared/embeddings/embeddings-document.ts';
import type { EmbeddingsRequest } from '../../shared/embeddings/embeddings-request.ts';
import { inputTypeOf, type InputType } from '../../shared/embeddings/input-type.ts';
import { refuseOrDrop } from '../../../protocols/canonical/parameter-policy.ts';
import { packageCall, type PackageCallContext } from '../package/package-call.ts';

/** Where a package declares no limit. */
const MAX_INPUTS = 2_048;

export interface EmbeddingParameters {
  readonly dimensions: number | null;
  readonly inputType: InputType | null;
}

/** The dialect of a provider's embeddings. */
export interface EmbeddingsDialect {
  /** Whether the model supports `dimensions` and `input_type`. */
  readonly supportedParams: (model: string) => readonly string[];
  /** Where the provider's limits are lower than its package's. */
  readonly limits?: (model: string) => Partial<CallLimits>;
  /** The provider-specific options for them. */
  readonly options: (requested: EmbeddingParameters, model: string) => EmbeddingModelV4CallOptions['providerOptions'];
}

/** Embeddings through a package: texts only, split by the limits of one call. */
export function packageEmbeddings(context: PackageCallContext, dialect: EmbeddingsDialect): Send<EmbeddingsRequest> {
  const { provider } = context;
  return ({ request, model, parameters }, receiver) => {
    const requested = { dimensions: request.dimensions ?? null, inputType: inputTypeOf(request.input_type) };
    const supported = dialect.supportedParams(model);
    const unsupported = specifiedParameters(request).filter((name) => !supported.includes(name));
    const dropped = refuseOrDrop(provider, unsupported, parameters);
    const sent = {
      dimensions: dropped.includes('dimensions') ? null : requested.dimensions,
      inputType: dropped.includes('input_type') ? null : requested.inputType,
    };
    const texts = textsOf(provider, request.input);
    const encoding = requestedEncoding(request);
    const providerOptions = dialect.options(sent, model);
    answerPromise(receiver, async (signal) => {
      const { embedding } = await context.models();
      if (embedding === undefined) throw new SluiceError('model_not_found', { values: { model } });
      const embedder = embedding(model);
      const inputs = (await embedder.maxEmbeddingsPerCall) ?? MAX_INPUTS;
      const calls = splitInputs(texts, { inputs, tokens: Infinity, ...dialect.limits?.(model) });
      const parts = await eachPart(calls, signal, async (values, ending) => {
        const answer = await packageCall(context, ending, 'dimensions', (abortSignal) =>
          embedder.doEmbed({ values: [...values], abortSignal, ...(providerOptions && { providerOptions }) }),
        );
        return {
          size: sizeOf(values),
          answer: { vectors: answer.embeddings, tokens: readTokenCount(answer.usage?.tokens) },
        };
      });
      return embeddingsDocument(provider, model, encoding, parts);
    });
    return dropped;
  };
}

function specifiedParameters(request: EmbeddingsRequest): string[] {
  return ['dimensions', 'input_type', 'user'].filter((name) => request[name] !== null && request[name] !== undefined);
}
