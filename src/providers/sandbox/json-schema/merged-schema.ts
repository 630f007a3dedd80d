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
  type JsonType,
} from './schema-reading.ts';
import { isObject } from '../../../protocols/canonical/json-members.ts';
import type { WorkBudget } from './work-budget.ts';

/**
 * The maximum number of schemas that are followed for one value: references, `allOf` members and selected branches
 * together.
 */
const MAX_PARTS = 200;
/** The maximum number of branches that are considered per choice. */
const MAX_BRANCHES = 100;

/** One schema without references or branches: all constraints on a value. */
export interface MergedSchema {
  types: JsonType[] | undefined;
  /** From `enum` and `const`. */
  constants: unknown[] | undefined;
  properties: Map<string, JsonSchema>;
  required: Set<string>;
  dependentRequired: Map<string, string[]>;
  /** For names without a property schema. */
  additional: JsonSchema[];
  /** Where a part forbids additional properties: a name must be in each of these sets. */
  closedTo: Set<string>[];
  propertyNames: JsonSchema | undefined;
  prefixItems: JsonSchema[];
  items: JsonSchema[];
  contains: JsonSchema | undefined;
  uniqueItems: boolean;
  patterns: string[];
  format: string | undefined;
  multipleOf: number | undefined;
  /** Lower bounds such as `minLength`: the highest of all parts. */
  lower: Map<LowerBound, number>;
  /** Upper bounds such as `maxItems`: the lowest of all parts. */
  upper: Map<UpperBound, number>;
  /**
   * True where parts contradict each other, or where a value may be invalid although it satisfies this schema (`oneOf`,
   * `not`, `if`).
   */
  contradictory: boolean;
  needsProof: boolean;
}

export type LowerBound = 'minimum' | 'exclusiveMinimum' | 'minLength' | 'minItems' | 'minProperties' | 'minContains';
export type UpperBound = 'maximum' | 'exclusiveMaximum' | 'maxLength' | 'maxItems' | 'maxProperties';

const LOWER: readonly LowerBound[] = [
  'minimum',
  'exclusiveMinimum',
  'minLength',
  'minItems',
  'minProperties',
  'minContains',
];
const UPPER: readonly UpperBound[] = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];

/** Orders the branches of an `anyOf` or `oneOf`: the first that does not contradict the rest is selected. */
export type BranchOrder = (branches: readonly JsonSchema[]) => readonly JsonSchema[];

/** Resolves references, merges `allOf`, and selects one branch of each choice. */
export function mergeSchema(schema: JsonSchema, root: JsonSchema, order: BranchOrder, work: WorkBudget): MergedSchema {
  const merged = emptySchema();
  const merger = new SchemaMerger(root, order, work);
  merger.add(merged, schema);
  return merger.choose(merged);
}

class SchemaMerger {
  readonly #root: JsonSchema;
  readonly #order: BranchOrder;
  readonly #work: WorkBudget;
  #seen = new Set<JsonSchema>();
  readonly #choices: (readonly JsonSchema[])[] = [];
  #parts = 0;

  constructor(root: JsonSchema, order: BranchOrder, work: WorkBudget) {
    this.#root = root;
    this.#order = order;
    this.#work = work;
  }

  add(into: MergedSchema, schema: JsonSchema): void {
    const waiting: JsonSchema[] = [schema];
    for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
      if (part === false) into.contradictory = true;
      if (typeof part === 'boolean' || this.#seen.has(part)) continue;
      this.#seen.add(part);
      this.#work.remaining -= 10 + into.properties.size + sizeOf(part);
      if ((this.#parts += 1) > MAX_PARTS || this.#work.remaining < 0) return;
      const reference = own(part, '$ref');
      if (typeof reference === 'string') waiting.push(resolveReference(this.#root, reference));
      waiting.push(...schemaList(own(part, 'allOf')).slice(0, MAX_PARTS));
      this.#collectChoices(into, part);
      joinKeywords(into, part);
    }
  }

  /** Selects a branch of every choice, including those in selected branches. */
  choose(merged: MergedSchema): MergedSchema {
    let chosen = merged;
    for (let branches = this.#choices.shift(); branches; branches = this.#choices.shift()) {
      chosen = this.#firstThatFits(chosen, this.#order(branches));
    }
    return chosen;
  }

  #firstThatFits(merged: MergedSchema, branches: readonly JsonSchema[]): MergedSchema {
    let fallback: MergedSchema | undefined;
    for (const branch of branches) {
      const choicesBefore = this.#choices.length;
      const seenBefore = new Set(this.#seen);
      const attempt = copySchema(merged);
      this.add(attempt, branch);
      if (!attempt.contradictory) return attempt;
      this.#choices.length = choicesBefore;
      this.#seen = seenBefore;
      fallback ??= attempt;
    }
    return fallback ?? merged;
  }

  #collectChoices(into: MergedSchema, part: Readonly<Record<string, unknown>>): void {
    const anyOf = schemaList(own(part, 'anyOf')).slice(0, MAX_BRANCHES);
    const oneOf = schemaList(own(part, 'oneOf')).slice(0, MAX_BRANCHES);
    if (anyOf.length > 0) this.#choices.push(anyOf);
    if (oneOf.length > 0) this.#choices.push(oneOf);
    const condition = own(part, 'if');
    if (condition !== undefined) {
      const then = { allOf: [asSchema(condition), asSchema(own(part, 'then'))] };
      this.#choices.push([then, asSchema(own(part, 'else'))]);
    }
    into.needsProof ||= oneOf.length > 1 || condition !== undefined || Object.hasOwn(part, 'not');
  }
}

function sizeOf(part: Readonly<Record<string, unknown>>): number {
  const lists = [own(part, 'enum'), own(part, 'required'), own(part, 'anyOf'), own(part, 'oneOf')];
  const sizes = lists.map((list) => (Array.isArray(list) ? list.length : 0));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function joinKeywords(into: MergedSchema, part: Readonly<Record<string, unknown>>): void {
  joinTypes(into, typeList(own(part, 'type')));
  const constants = own(part, 'enum');
  if (Array.isArray(constants)) joinConstants(into, constants);
  if (Object.hasOwn(part, 'const')) joinConstants(into, [part.const]);
  joinObjectKeywords(into, part);
  joinArrayKeywords(into, part);
  const pattern = own(part, 'pattern');
  if (typeof pattern === 'string') into.patterns.push(pattern);
  const format = own(part, 'format');
  if (typeof format === 'string') into.format = format;
  const step = finiteNumber(own(part, 'multipleOf'));
  if (step !== undefined && step > 0) into.multipleOf = commonMultiple(into.multipleOf, step);
  for (const key of LOWER) {
    const bound = finiteNumber(own(part, key));
    if (bound !== undefined) into.lower.set(key, Math.max(bound, into.lower.get(key) ?? -Infinity));
  }
  for (const key of UPPER) {
    const bound = finiteNumber(own(part, key));
    if (bound !== undefined) into.upper.set(key, Math.min(bound, into.upper.get(key) ?? Infinity));
  }
}

function joinTypes(into: MergedSchema, types: JsonType[] | undefined): void {
  if (!types) return;
  const before = into.types;
  const widened = types.includes('number') ? [...types, 'integer' as const] : types;
  const remaining = before?.filter(
    (type) => widened.includes(type) || (type === 'number' && types.includes('integer')),
  );
  into.types = remaining
    ? remaining.map((type) => (type === 'number' && !types.includes('number') ? 'integer' : type))
    : types;
  into.contradictory ||= into.types.length === 0;
}

function joinConstants(into: MergedSchema, constants: readonly unknown[]): void {
  const allowed = new Set(constants.map((constant) => canonicalText(constant)));
  into.constants = into.constants
    ? into.constants.filter((constant) => allowed.has(canonicalText(constant)))
    : [...constants];
  into.contradictory ||= into.constants.length === 0;
}

function joinObjectKeywords(into: MergedSchema, part: Readonly<Record<string, unknown>>): void {
  const properties = own(part, 'properties');
  if (isObject(properties)) {
    for (const [name, value] of Object.entries(properties)) {
      const before = into.properties.get(name);
      into.properties.set(name, before === undefined ? asSchema(value) : { allOf: [before, asSchema(value)] });
    }
  }
  for (const name of stringList(own(part, 'required'))) into.required.add(name);
  const dependent = own(part, 'dependentRequired');
  if (isObject(dependent)) {
    for (const [name, names] of Object.entries(dependent)) {
      into.dependentRequired.set(name, [...(into.dependentRequired.get(name) ?? []), ...stringList(names)]);
    }
  }
  const additional = own(part, 'additionalProperties');
  if (additional === false) into.closedTo.push(new Set(isObject(properties) ? Object.keys(properties) : []));
  else if (isObject(additional)) into.additional.push(additional);
  const names = own(part, 'propertyNames');
  if (names !== undefined) into.propertyNames = asSchema(names);
}

function joinArrayKeywords(into: MergedSchema, part: Readonly<Record<string, unknown>>): void {
  const items = own(part, 'items');
  const prefix = schemaList(Array.isArray(items) ? items : own(part, 'prefixItems'));
  for (const [index, schema] of prefix.entries()) {
    const before = into.prefixItems[index];
    into.prefixItems[index] = before === undefined ? schema : { allOf: [before, schema] };
  }
  const rest = Array.isArray(items) ? own(part, 'additionalItems') : items;
  if (rest !== undefined) into.items.push(asSchema(rest));
  const contains = own(part, 'contains');
  if (contains !== undefined) into.contains = asSchema(contains);
  into.uniqueItems ||= own(part, 'uniqueItems') === true;
}

/** The least common multiple of integers; otherwise the larger, which is correct if it is a multiple of the smaller. */
function commonMultiple(before: number | undefined, step: number): number {
  if (before === undefined || before === step) return step;
  if (!Number.isSafeInteger(before * step)) return Math.max(before, step);
  let [large, small] = [before, step];
  while (small > 0) [large, small] = [small, large % small];
  return (before / large) * step;
}

function emptySchema(): MergedSchema {
  return {
    types: undefined,
    constants: undefined,
    properties: new Map(),
    required: new Set(),
    dependentRequired: new Map(),
    additional: [],
    closedTo: [],
    propertyNames: undefined,
    prefixItems: [],
    items: [],
    contains: undefined,
    uniqueItems: false,
    patterns: [],
    format: undefined,
    multipleOf: undefined,
    lower: new Map(),
    upper: new Map(),
    contradictory: false,
    needsProof: false,
  };
}

function copySchema(schema: MergedSchema): MergedSchema {
  return {
    ...schema,
    properties: new Map(schema.properties),
    required: new Set(schema.required),
    dependentRequired: new Map(schema.dependentRequired),
    additional: [...schema.additional],
    closedTo: [...schema.closedTo],
    prefixItems: [...schema.prefixItems],
    items: [...schema.items],
    patterns: [...schema.patterns],
    lower: new Map(schema.lower),
    upper: new Map(schema.upper),
  };
}
