import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { z } from 'zod';

const file = new URL('../fixtures/openai/api-schema.json', import.meta.url);
const document = z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(file, 'utf8')));
const definitions = z.record(z.string(), z.unknown()).parse(document.$defs);

/**
 * What OpenAI added since its API document, each with where it stands, and what it has no form for. Source of all: `resources/responses/responses.d.ts` of
 * OpenAI's SDK for JavaScript, 7.55.0.
 */
const additions: Readonly<Record<string, unknown>> = {
  // `Response.safety_identifier`: "with a maximum length of 128 characters".
  ModelResponseProperties: {
    allOf: [{ $ref: '#/$defs/DocumentedModelResponseProperties' }],
    properties: { safety_identifier: { type: ['string', 'null'], maxLength: 128 } },
  },
  // OpenAI streams no transcript of a model that is billed by duration: its usage is that of one which is not streamed.
  TranscriptTextUsageTokens: {
    anyOf: [{ $ref: '#/$defs/DocumentedTranscriptTextUsageTokens' }, { $ref: '#/$defs/TranscriptTextUsageDuration' }],
  },
};

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(JSON.parse(JSON.stringify({ ...document, $defs: withAdditions() }, loosened)), 'openai');

function withAdditions(): Record<string, unknown> {
  const { safety_identifier: _short, ...rest } = z
    .looseObject({ properties: z.record(z.string(), z.unknown()) })
    .parse(definitions.ModelResponseProperties).properties;
  return {
    ...definitions,
    DocumentedModelResponseProperties: { type: 'object', properties: rest },
    DocumentedTranscriptTextUsageTokens: definitions.TranscriptTextUsageTokens,
    ...additions,
  };
}

/** Parts of a union may overlap in OpenAI's document, which tells them apart by `type`: one that fits is enough. */
function loosened(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('oneOf' in value)) return value;
  const { oneOf, ...rest } = value;
  return { ...rest, anyOf: oneOf };
}

export type OpenAiSchema =
  | 'Response'
  | 'ResponseStreamEvent'
  | 'ResponseItemList'
  | 'CreateCompletionResponse'
  | 'OpenAIFile'
  | 'ListFilesResponse'
  | 'DeleteFileResponse'
  | 'Upload'
  | 'UploadPart'
  | 'Batch'
  | 'ListBatchesResponse'
  | 'ConversationResource'
  | 'ConversationItemList'
  | 'ConversationItem'
  | 'DeletedConversationResource'
  | 'CompactResource'
  | 'CreateChatCompletionResponse'
  | 'ChatCompletionList'
  | 'ChatCompletionDeleted'
  | 'ChatCompletionMessageList'
  | 'ResponseWsError'
  | 'CreateChatCompletionStreamResponse'
  | 'ErrorResponse'
  | 'TokenCountsResource'
  | 'CreateEmbeddingResponse'
  | 'ListModelsResponse'
  | 'Model'
  | 'CreateModerationResponse'
  | 'ImagesResponse'
  | 'ImageGenStreamEvent'
  | 'ImageEditStreamEvent'
  | 'CreateSpeechResponseStreamEvent'
  | 'CreateTranscriptionResponseJson'
  | 'CreateTranscriptionResponseVerboseJson'
  | 'CreateTranscriptionResponseStreamEvent'
  | 'VideoResource';

/** The values of `include` that OpenAI's document permits. */
export const includeValues = z.object({ enum: z.array(z.string()) }).parse(definitions.IncludeEnum).enum;

const eventsByType = new Map(
  z
    .object({ anyOf: z.array(z.object({ $ref: z.string() })) })
    .parse(definitions.ResponseStreamEvent)
    .anyOf.map(({ $ref }) => {
      const name = $ref.slice('#/$defs/'.length);
      const { properties } = z
        .looseObject({ properties: z.looseObject({ type: z.object({ enum: z.tuple([z.string()]) }) }) })
        .parse(definitions[name]);
      return [properties.type.enum[0], name] as const;
    }),
);

/** Fails where a value is not as OpenAI's API document has it. */
export function expectOpenAi(schema: OpenAiSchema, value: unknown): void {
  if (schema !== 'ResponseStreamEvent') return expectDefinition(schema, value);
  const { type } = z.looseObject({ type: z.string() }).parse(value);
  const name = eventsByType.get(type);
  if (name === undefined) return expect.fail(`OpenAI has no event ${type}`);
  return expectDefinition(name, value);
}

function expectDefinition(name: string, value: unknown): void {
  const validate = ajv.getSchema(`openai#/$defs/${name}`);
  if (validate === undefined) return expect.fail(`OpenAI's document has no ${name}`);
  if (validate(value) === true) return undefined;
  const faults = (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  return expect.fail(`${name}: ${[...new Set(faults)].join('; ')}\n${JSON.stringify(value, null, 2)}`);
}
