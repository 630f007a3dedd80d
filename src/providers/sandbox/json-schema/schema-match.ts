import {
  asSchema,
  canonicalText,
  finiteNumber,
  own,
  resolveReference,
  schemaList,
  stringList,
  typeList,
  type JsonSchema,
} from './schema-reading.ts';
import { isObject } from '../../../protocols/canonical/json-members.ts';
import type { WorkBudget } from './work-budget.ts';

const MAX_DEPTH = 80;

/**
 * Whether a value satisfies a schema, as far as the sandbox needs it to distinguish branches: patterns and formats
 * count as satisfied, since running a client's regular expression could hang. So does everything beyond the work
 * budget.
 */
export function matchesSchema(value: unknown, schema: JsonSchema, root: JsonSchema, work: WorkBudget): boolean {
  return new SchemaMatcher(root, work).matches(value, schema, 0);
}

class SchemaMatcher {
  readonly #root: JsonSchema;
  readonly #work: WorkBudget;

  constructor(root: JsonSchema, work: WorkBudget) {
    this.#root = root;
    this.#work = work;
  }

  matches(value: unknown, schema: JsonSchema, depth: number): boolean {
    if (typeof schema === 'boolean') return schema;
    if (depth > MAX_DEPTH || (this.#work.remaining -= 2) < 0) return true;
    return (
      this.#matchesReference(value, schema, depth) &&
      matchesType(value, schema) &&
      matchesConstants(value, schema) &&
      this.#matchesBranches(value, schema, depth) &&
      (typeof value !== 'number' || matchesNumber(value, schema)) &&
      (typeof value !== 'string' || within([...value].length, schema, 'minLength', 'maxLength')) &&
      (!Array.isArray(value) || this.#matchesArray(value, schema, depth)) &&
      (!isObject(value) || this.#matchesObject(value, schema, depth))
    );
  }

  #matchesReference(value: unknown, schema: Readonly<Record<string, unknown>>, depth: number): boolean {
    const reference = own(schema, '$ref');
    if (typeof reference !== 'string') return true;
    return this.matches(value, resolveReference(this.#root, reference), depth + 1);
  }

  #matchesBranches(value: unknown, schema: Readonly<Record<string, unknown>>, depth: number): boolean {
    const fits = (branch: JsonSchema): boolean => this.matches(value, branch, depth + 1);
    const anyOf = schemaList(own(schema, 'anyOf'));
    const oneOf = schemaList(own(schema, 'oneOf'));
    if (!schemaList(own(schema, 'allOf')).every(fits)) return false;
    if (anyOf.length > 0 && !anyOf.some(fits)) return false;
    if (oneOf.length > 0 && oneOf.filter(fits).length !== 1) return false;
    const not = own(schema, 'not');
    if (not !== undefined && fits(asSchema(not))) return false;
    const condition = own(schema, 'if');
    return condition === undefined || fits(asSchema(own(schema, fits(asSchema(condition)) ? 'then' : 'else')));
  }

  #matchesArray(value: readonly unknown[], schema: Readonly<Record<string, unknown>>, depth: number): boolean {
    const items = own(schema, 'items');
    const prefix = schemaList(Array.isArray(items) ? items : own(schema, 'prefixItems'));
    const rest = asSchema(Array.isArray(items) ? own(schema, 'additionalItems') : items);
    const contains = own(schema, 'contains');
    return (
      within(value.length, schema, 'minItems', 'maxItems') &&
      value.every((item, index) => this.matches(item, prefix[index] ?? rest, depth + 1)) &&
      (own(schema, 'uniqueItems') !== true ||
        new Set(value.map((item) => canonicalText(item))).size === value.length) &&
      (contains === undefined ||
        own(schema, 'minContains') === 0 ||
        value.some((item) => this.matches(item, asSchema(contains), depth + 1)))
    );
  }

  #matchesObject(
    value: Readonly<Record<string, unknown>>,
    schema: Readonly<Record<string, unknown>>,
    depth: number,
  ): boolean {
    const declared = own(schema, 'properties');
    const properties = isObject(declared) ? declared : {};
    const open = isObject(own(schema, 'patternProperties'));
    const additional = open ? true : asSchema(own(schema, 'additionalProperties'));
    const names = Object.keys(value);
    return (
      within(names.length, schema, 'minProperties', 'maxProperties') &&
      stringList(own(schema, 'required')).every((name) => Object.hasOwn(value, name)) &&
      names.every((name) => {
        const member = Object.hasOwn(properties, name) ? asSchema(properties[name]) : additional;
        return this.matches(value[name], member, depth + 1);
      })
    );
  }
}

function matchesType(value: unknown, schema: Readonly<Record<string, unknown>>): boolean {
  const types = typeList(own(schema, 'type'));
  if (!types) return true;
  return types.some((type) => {
    if (type === 'null') return value === null;
    if (type === 'array') return Array.isArray(value);
    if (type === 'object') return isObject(value);
    if (type === 'integer') return Number.isInteger(value);
    return typeof value === type;
  });
}

function matchesConstants(value: unknown, schema: Readonly<Record<string, unknown>>): boolean {
  const listed = own(schema, 'enum');
  if (!Array.isArray(listed) && !Object.hasOwn(schema, 'const')) return true;
  const text = canonicalText(value);
  const isListed = !Array.isArray(listed) || listed.some((constant) => canonicalText(constant) === text);
  return isListed && (!Object.hasOwn(schema, 'const') || canonicalText(schema.const) === text);
}

function matchesNumber(value: number, schema: Readonly<Record<string, unknown>>): boolean {
  const step = finiteNumber(own(schema, 'multipleOf'));
  return (
    within(value, schema, 'minimum', 'maximum') &&
    value > (finiteNumber(own(schema, 'exclusiveMinimum')) ?? -Infinity) &&
    value < (finiteNumber(own(schema, 'exclusiveMaximum')) ?? Infinity) &&
    (step === undefined || Number.isInteger(value / step))
  );
}

function within(size: number, schema: Readonly<Record<string, unknown>>, lower: string, upper: string): boolean {
  return (
    size >= (finiteNumber(own(schema, lower)) ?? -Infinity) && size <= (finiteNumber(own(schema, upper)) ?? Infinity)
  );
}
