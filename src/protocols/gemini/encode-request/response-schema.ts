import { objectOf, type JsonObject } from '../../canonical/json-members.ts';

const schemaMapKeywords = new Set(['properties', '$defs', 'definitions']);
const schemaListKeywords = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const schemaKeywords = new Set(['items', 'additionalProperties', 'not']);

/**
 * Converts a schema for `responseJsonSchema`, which supports the common keywords of JSON Schema except `const`: it becomes
 * an `enum` of one value.
 * Source: ai.google.dev/api/generate-content, GenerationConfig.responseJsonSchema.
 */
export function responseSchema(schema: JsonObject): JsonObject {
  const members = Object.entries(schema).map(([name, value]): [string, unknown] => {
    if (name === 'const') return ['enum', [value]];
    if (schemaMapKeywords.has(name)) return [name, mapValues(value)];
    if (schemaListKeywords.has(name)) return [name, Array.isArray(value) ? value.map(oneSchema) : value];
    return [name, schemaKeywords.has(name) ? oneSchema(value) : value];
  });
  return Object.fromEntries(members);
}

function mapValues(value: unknown): unknown {
  const schemas = objectOf(value);
  return schemas === null
    ? value
    : Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, oneSchema(schema)]));
}

function oneSchema(value: unknown): unknown {
  const schema = objectOf(value);
  return schema === null ? value : responseSchema(schema);
}
