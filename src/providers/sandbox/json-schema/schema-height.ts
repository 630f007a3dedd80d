import {
  asSchema,
  finiteNumber,
  own,
  resolveReference,
  schemaList,
  stringList,
  type JsonSchema,
} from './schema-reading.ts';
import { isObject } from '../../../protocols/canonical/json-members.ts';
import type { WorkBudget } from './work-budget.ts';

const MAX_STEPS = 1_000;
const MAX_DEPTH = 60;

/**
 * The number of levels of a schema's smallest value; `Infinity` where there is none, since it must contain itself.
 * Beyond 1,000 steps, a part counts as one level.
 */
export function smallestHeight(schema: JsonSchema, root: JsonSchema, work: WorkBudget): number {
  return new HeightFinder(root, work).height(schema, 0);
}

class HeightFinder {
  readonly #root: JsonSchema;
  readonly #path = new Set<JsonSchema>();
  readonly #work: WorkBudget;
  #steps = 0;

  constructor(root: JsonSchema, work: WorkBudget) {
    this.#root = root;
    this.#work = work;
  }

  height(schema: JsonSchema, depth: number): number {
    if (schema === false) return Infinity;
    if (schema === true || depth > MAX_DEPTH || (this.#steps += 1) > MAX_STEPS || this.#work.remaining < 0) return 1;
    this.#work.remaining -= 1;
    if (this.#path.has(schema)) return Infinity;
    this.#path.add(schema);
    const height = Math.max(this.#computeHeight(schema, depth), ...this.#partHeights(schema, depth));
    this.#path.delete(schema);
    return height;
  }

  #partHeights(schema: Readonly<Record<string, unknown>>, depth: number): number[] {
    const heights = (key: string): number[] => {
      const parts = schemaList(own(schema, key)).slice(0, 100);
      this.#work.remaining -= 2 * parts.length;
      return parts.map((part) => this.height(part, depth + 1));
    };
    const parts = heights('allOf');
    const reference = own(schema, '$ref');
    if (typeof reference === 'string') parts.push(this.height(resolveReference(this.#root, reference), depth + 1));
    for (const branches of [heights('anyOf'), heights('oneOf')])
      if (branches.length > 0) parts.push(Math.min(...branches));
    return parts;
  }

  #computeHeight(schema: Readonly<Record<string, unknown>>, depth: number): number {
    let below = 0;
    const properties = own(schema, 'properties');
    for (const name of stringList(own(schema, 'required')).slice(0, 1_000)) {
      const member = isObject(properties) ? own(properties, name) : undefined;
      if (member !== undefined) below = Math.max(below, this.height(asSchema(member), depth + 1));
    }
    const items = own(schema, 'items');
    const needsItems = (finiteNumber(own(schema, 'minItems')) ?? 0) > 0;
    if (needsItems && items !== undefined && !Array.isArray(items))
      below = Math.max(below, this.height(asSchema(items), depth + 1));
    return below + 1;
  }
}
