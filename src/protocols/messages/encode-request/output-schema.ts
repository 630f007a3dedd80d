import { isObject, type JsonObject } from '../../canonical/json-members.ts';

/** The keywords that Anthropic enforces. Source: platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON Schema limitations". */
const supportedKeywords: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$ref',
  'title',
  'description',
  'default',
  'const',
  'enum',
  'type',
  'required',
]);

const formats: ReadonlySet<string> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);

const listsOfSchemas = ['anyOf', 'allOf', 'oneOf', 'prefixItems'] as const;
const mapsOfSchemas = ['properties', '$defs', 'definitions'] as const;

/**
 * Converts a schema to the subset that Anthropic accepts: objects are closed, and other constraints are moved to the
 * description. Null for a schema with open objects (any names, any values): closed, they could only be empty.
 */
export function outputSchema(schema: JsonObject): JsonObject | null {
  return hasOpenObject(schema) ? null : closed(schema);
}

function hasOpenObject(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const { additionalProperties: further, patternProperties, properties, type } = schema;
  if (
    further === true ||
    isObject(further) ||
    (isObject(patternProperties) && Object.keys(patternProperties).length > 0)
  )
    return true;
  if (type === 'object' && properties === undefined && further !== false) return true;
  return subschemas(schema).some(hasOpenObject);
}

function subschemas(schema: JsonObject): unknown[] {
  const lists = listsOfSchemas.map((name) => schema[name]).filter(Array.isArray);
  const maps = mapsOfSchemas.map((name) => schema[name]).filter(isObject);
  return [schema.items, ...lists.flat(), ...maps.flatMap((map) => Object.values(map))];
}

function closed(schema: JsonObject): JsonObject {
  const constraints: string[] = [];
  const result = new Map<string, unknown>();
  for (const [name, value] of Object.entries(schema)) {
    if (supportedKeywords.has(name) || (name === 'format' && formats.has(String(value))) || isFewItems(name, value))
      result.set(name, value);
    else if (name === 'items') result.set(name, closedIfSchema(value));
    else if (name === 'anyOf' || name === 'allOf' || name === 'oneOf')
      result.set(name === 'oneOf' ? 'anyOf' : name, Array.isArray(value) ? value.map(closedIfSchema) : value);
    else if (name === 'properties' || name === '$defs' || name === 'definitions') result.set(name, closedMap(value));
    else if (name !== 'additionalProperties') constraints.push(`${name}: ${JSON.stringify(value)}`);
  }
  if (schema.type === 'object' || isObject(schema.properties)) result.set('additionalProperties', false);
  if (constraints.length > 0)
    result.set('description', [schema.description, ...constraints].filter(Boolean).join('\n'));
  return Object.fromEntries(result);
}

/** `true` and `false` are schemas too. */
function closedIfSchema(schema: unknown): unknown {
  return isObject(schema) ? closed(schema) : schema;
}

function closedMap(schemas: unknown): unknown {
  if (!isObject(schemas)) return schemas;
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, closedIfSchema(schema)]));
}

function isFewItems(name: string, value: unknown): boolean {
  return name === 'minItems' && (value === 0 || value === 1);
}
