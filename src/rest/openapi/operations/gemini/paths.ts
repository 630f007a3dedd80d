import type { GeminiMethod } from '../../../paths/gemini-methods.ts';
import { jsonBody } from '../../examples.ts';
import { failingForGoogle, failure, failuresForGoogle } from '../../failures.ts';
import { answer, counted, events, everyAnswer, type Operation, ref, refs, routed } from '../../parts.ts';
import type { SchemaName } from '../../schema-name.ts';
import { securitySchemes } from '../../surface.ts';

const tags = ['Gemini'];
/** Google's clients may send the key in the URL. */
const security = [...Object.keys(securitySchemes), 'keyOfQuery'].map((name) => ({ [name]: [] }));

const modelParameter = (example: string): object => ({
  name: 'model',
  in: 'path',
  required: true,
  schema: { type: 'string', minLength: 1 },
  example,
  description:
    '`provider/model`. The slash does not need to be percent-encoded, and `models/` before it may be left out.',
});
const chatModel = modelParameter('sandbox/chat');
const embeddingModel = modelParameter('sandbox/embedding');

function method(
  described: Pick<Operation, 'operationId' | 'summary' | 'description' | 'parameters'>,
  request: SchemaName,
  answered: Operation['responses'][string],
): Operation {
  return {
    parameters: [chatModel],
    ...described,
    tags,
    security,
    requestBody: { required: true, content: jsonBody(request) },
    responses: { '200': answered, ...failuresForGoogle },
  };
}

const generated = { ...routed, ...refs(['x-sluice-moderation']) };

/** By method, so that none is left out. */
const methods: Readonly<Record<GeminiMethod, Operation>> = {
  generateContent: method(
    {
      operationId: 'generateContent',
      summary: 'Generate content',
      description:
        'Google’s Gemini API, for any model. A provider with this API receives the request unchanged; for all others it is converted, and what they cannot receive is named in `x-sluice-dropped-params`. Members may be spelt in `snake_case`. `/v1/models/{model}:generateContent` and the other methods at `/v1` are the same.',
    },
    'GenerateContentRequest',
    answer('The content.', 'GenerateContentResponse', generated),
  ),
  streamGenerateContent: method(
    {
      operationId: 'streamGenerateContent',
      summary: 'Generate content as a stream',
      description:
        'As `:generateContent`, in pieces: a JSON array that arrives element by element, or with `alt=sse` server-sent events.',
      parameters: [
        chatModel,
        {
          name: 'alt',
          in: 'query',
          schema: { type: 'string' },
          description: '`sse` for server-sent events, which Google’s SDKs ask for.',
        },
      ],
    },
    'GenerateContentRequest',
    {
      description: 'Pieces of the content.',
      headers: generated,
      content: {
        'application/json': { schema: { type: 'array', items: ref('GenerateContentResponse') } },
        ...events('GenerateContentResponse'),
      },
    },
  ),
  countTokens: method(
    {
      operationId: 'countTokens',
      summary: 'Count the tokens of contents',
      description:
        'Counts the input tokens of a request: at the provider where it serves the protocol, else as an estimate. Free of charge. `x-sluice-estimated` names what is estimated.',
    },
    'CountTokensRequest',
    answer('The count.', 'CountTokensResponse', counted),
  ),
  embedContent: method(
    {
      operationId: 'embedContent',
      summary: 'Embed a content',
      description: 'Converts a text to a vector.',
      parameters: [embeddingModel],
    },
    'EmbedContentRequest',
    answer('The embedding.', 'EmbedContentResponse', routed),
  ),
  batchEmbedContents: method(
    {
      operationId: 'batchEmbedContents',
      summary: 'Embed several contents',
      description: 'Converts texts to vectors. All requests have the same `taskType` and `outputDimensionality`.',
      parameters: [embeddingModel],
    },
    'BatchEmbedContentsRequest',
    answer('The embeddings, in the order of the requests.', 'BatchEmbedContentsResponse', routed),
  ),
};

const refused = failingForGoogle('400', '401', '403', '500', '503');

const listGoogleModels: Operation = {
  operationId: 'listGoogleModels',
  summary: 'List models in Google’s format',
  description: 'Lists the models that the key can use, on one page.',
  tags,
  security,
  responses: { '200': answer('The models.', 'GoogleModelList', everyAnswer), ...refused },
};

const retrieveGoogleModel: Operation = {
  operationId: 'retrieveGoogleModel',
  summary: 'Retrieve a model in Google’s format',
  tags,
  security,
  parameters: [chatModel],
  responses: {
    '200': answer('The model.', 'GoogleModel', everyAnswer),
    ...refused,
    '404': failure('404', undefined, 'GoogleError'),
  },
};

export const geminiPaths = {
  ...Object.fromEntries(
    Object.entries(methods).map(([name, post]) => [`/v1beta/models/{model}:${name}`, { post }] as const),
  ),
  '/v1beta/models': { get: listGoogleModels },
  '/v1beta/models/{model}': { get: retrieveGoogleModel },
};
