import type { InputType } from '../shared/embeddings/input-type.ts';
import { cohereInputType } from '../bridge/services/cohere-retrieval.ts';
import type { EmbeddingsDialect } from '../bridge/services/embeddings.ts';

type Family = 'titan' | 'cohere' | 'nova';

/** Nova's names of the purposes of a text. */
const purposes: Readonly<Record<InputType, string>> = {
  query: 'TEXT_RETRIEVAL',
  document: 'GENERIC_INDEX',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
};

/**
 * Each model family has its own request format. Source:
 * docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html.
 */
export const bedrockEmbeddings: EmbeddingsDialect = {
  supportedParams: (model) => (familyOf(model) === 'titan' ? ['dimensions'] : ['dimensions', 'input_type']),
  options({ dimensions, inputType }, model) {
    const family = familyOf(model);
    const chosen = dimensions === null ? {} : { [dimensionsName(family)]: dimensions };
    const kind = inputType === null ? {} : inputTypeFor(family, inputType);
    return { amazonBedrock: { ...chosen, ...kind } };
  },
};

/** Inference profiles have a region before the model name. */
function familyOf(model: string): Family {
  if (model.includes('cohere.embed-')) return 'cohere';
  return model.includes('amazon.nova-') ? 'nova' : 'titan';
}

function dimensionsName(family: Family): string {
  return { titan: 'dimensions', cohere: 'outputDimension', nova: 'embeddingDimension' }[family];
}

function inputTypeFor(family: Family, kind: InputType): { readonly [name: string]: string } {
  return family === 'nova' ? { embeddingPurpose: purposes[kind] } : { inputType: cohereInputType(kind) };
}
