import type { GenerationRequest } from '../../canonical/generation-request.ts';
import type { Block } from './content-blocks.ts';
import type { JsonObject } from '../../canonical/json-members.ts';
import type { ModelTraits } from '../model-traits.ts';
import { outputSchema } from './output-schema.ts';

export interface AnswerForm {
  /** `output_config.format`. */
  readonly format?: JsonObject;
  /** Instructs the model where the API does not enforce the format. */
  readonly instruction?: Block;
  /** Whether the request's demands are met. */
  readonly isSupported: boolean;
}

/**
 * Anthropic enforces a JSON Schema if the model supports it and the objects of the schema are closed. It has no format for
 * "any JSON object": this, and a schema that is not strict, becomes an instruction.
 * Source: platform.claude.com/docs/en/build-with-claude/structured-outputs.
 */
export function answerForm({ response_format: format }: GenerationRequest, traits: ModelTraits): AnswerForm {
  if (!format || format.type === 'text') return { isSupported: true };
  if (format.type === 'json_object')
    return { instruction: instruction('Answer with one JSON object'), isSupported: true };
  const { name, description, schema, strict } = format.json_schema;
  if (!schema) return { instruction: instruction('Answer with one JSON object'), isSupported: strict !== true };
  const supportedSchema = traits.structuredOutput ? outputSchema(schema) : null;
  if (supportedSchema !== null)
    return { format: { type: 'json_schema', schema: described(supportedSchema, description) }, isSupported: true };
  const about = description ? ` (${name}: ${description})` : ` (${name})`;
  return {
    instruction: instruction(`Answer with JSON${about} that satisfies this JSON Schema`, JSON.stringify(schema)),
    isSupported: strict !== true,
  };
}

function instruction(what: string, schema = ''): Block {
  const text = `${what}, and with nothing else: no other text, no code fence.`;
  return { type: 'text', text: schema === '' ? text : `${text}\n${schema}` };
}

function described(schema: JsonObject, description: string | null | undefined): JsonObject {
  return description && schema.description === undefined ? { ...schema, description } : schema;
}
