import type { SeededRandom } from '../text/seeded-random.ts';
import { mergeSchema, type MergedSchema } from './merged-schema.ts';
import { numberFits, numberValue } from './number-value.ts';
import { smallestHeight } from './schema-height.ts';
import { matchesSchema } from './schema-match.ts';
import { canonicalText, type JsonSchema, type JsonType } from './schema-reading.ts';
import { textValue, type UserHints } from './text-value.ts';
import type { WorkBudget } from './work-budget.ts';

/** The depth below which optional members are omitted and the shortest branches selected. */
const MAX_FULL_DEPTH = 4;
/** The number of values after which the rest is as small as the schema allows. */
const MAX_FULL_VALUES = 150;
const MAX_DEPTH = 100;
/**
 * Characters of one value; far more than a response may contain, so that a longer one ends by `length` like a model's.
 */
const MAX_CHARACTERS = 60_000;
/** Further attempts for parts that a first value may not satisfy (`oneOf`, `not`, `if`), over the whole schema. */
const MAX_RETRIES = 60;
const UNIQUE_TRIES = 24;
const ANY_TYPE: readonly JsonType[] = ['string', 'integer', 'boolean', 'null', 'object', 'array'];

export interface GeneratedValue {
  readonly value: unknown;
  /**
   * False where the schema requires more than a response may contain, or an infinite value: then the value is a prefix.
   */
  readonly complete: boolean;
}

/**
 * A value that satisfies a JSON schema, based on the user's message where the schema leaves room. Depth and size are
 * bounded for any schema, time by `work`. The same random source gives the same value.
 */
export function valueFromSchema(
  schema: JsonSchema,
  random: SeededRandom,
  hints: UserHints,
  work: WorkBudget,
): GeneratedValue {
  const builder = new ValueBuilder(schema, random, hints, work);
  const value = builder.build(schema, '', 0);
  return { value, complete: builder.complete };
}

class ValueBuilder {
  readonly #root: JsonSchema;
  readonly #random: SeededRandom;
  readonly #hints: UserHints;
  readonly #work: WorkBudget;
  #remainingCharacters = MAX_CHARACTERS;
  #values = 0;
  #remainingRetries = MAX_RETRIES;
  /** Whether values are based on the user's message; not after a first such value was invalid. */
  #usesHints = true;
  complete = true;

  constructor(root: JsonSchema, random: SeededRandom, hints: UserHints, work: WorkBudget) {
    this.#root = root;
    this.#random = random;
    this.#hints = hints;
    this.#work = work;
  }

  build(schema: JsonSchema, name: string, depth: number): unknown {
    if (depth > MAX_DEPTH || this.#remainingCharacters <= 0 || this.#work.remaining <= 0) {
      this.complete = false;
      return null;
    }
    const usesHints = this.#usesHints;
    for (let attempt = 0; ; attempt += 1) {
      this.#usesHints = usesHints && attempt === 0;
      const merged = mergeSchema(schema, this.#root, (branches) => this.#order(branches, depth, attempt), this.#work);
      const value = this.#value(merged, name, depth, attempt);
      this.#usesHints = usesHints;
      if (!merged.needsProof || matchesSchema(value, schema, this.#root, this.#work)) return value;
      if ((this.#remainingRetries -= 1) < 0) return value;
    }
  }

  /** Small values only, once the value is deep or long enough. */
  #isMinimal(depth: number): boolean {
    return depth >= MAX_FULL_DEPTH || this.#values > MAX_FULL_VALUES;
  }

  #order(branches: readonly JsonSchema[], depth: number, attempt: number): readonly JsonSchema[] {
    const ranked = this.#random
      .shuffle(branches)
      .map((branch) => ({ branch, height: this.#height(branch) }))
      .sort((one, other) =>
        this.#isMinimal(depth)
          ? compare(one.height, other.height)
          : compare(+(one.height === Infinity), +(other.height === Infinity)),
      )
      .map(({ branch }) => branch);
    const turn = attempt % ranked.length;
    return [...ranked.slice(turn), ...ranked.slice(0, turn)];
  }

  #height(schema: JsonSchema): number {
    return smallestHeight(schema, this.#root, this.#work);
  }

  #value(schema: MergedSchema, name: string, depth: number, attempt: number): unknown {
    this.#values += 1;
    this.#remainingCharacters -= 8;
    if (schema.constants) return this.#constant(schema, schema.constants);
    switch (this.#type(schema, depth, attempt)) {
      case 'null':
        return null;
      case 'boolean':
        return this.#random.next() < 0.5;
      case 'integer':
        return numberValue(schema, true, this.#random, this.#hintedNumbers());
      case 'number':
        return numberValue(schema, false, this.#random, this.#hintedNumbers());
      case 'string':
        return this.#text(schema, name);
      case 'array':
        return this.#array(schema, name, depth);
      case 'object':
        return this.#object(schema, depth);
    }
  }

  #hintedNumbers(): readonly number[] {
    return this.#usesHints ? this.#hints.numbers : [];
  }

  #type(schema: MergedSchema, depth: number, attempt: number): JsonType {
    const types = schema.types ?? impliedTypes(schema, attempt);
    if (this.#isMinimal(depth) && types.includes('null')) return 'null';
    const preferred = types.filter((type) => type !== 'null');
    return preferred[attempt % Math.max(1, preferred.length)] ?? 'null';
  }

  #constant(schema: MergedSchema, constants: readonly unknown[]): unknown {
    const allowed = constants.filter((constant) => constantFits(constant, schema, this.#work));
    const question = this.#usesHints ? this.#hints.question.toLowerCase() : '';
    const mentioned = allowed.find(
      (constant) => typeof constant === 'string' && constant !== '' && question.includes(constant.toLowerCase()),
    );
    const chosen = mentioned ?? allowed[this.#random.below(allowed.length)] ?? constants[0];
    const text = canonicalText(chosen);
    this.#remainingCharacters -= text?.length ?? Infinity;
    if (text !== undefined) return chosen;
    this.complete = false;
    return null;
  }

  #text(schema: MergedSchema, name: string): string {
    const maxLength = this.#remainingCharacters;
    if ((schema.lower.get('minLength') ?? 0) > maxLength) this.complete = false;
    const text = textValue(schema, name, this.#random, this.#hints, this.#work, maxLength);
    this.#remainingCharacters -= text.length;
    return text;
  }

  #array(schema: MergedSchema, name: string, depth: number): unknown[] {
    const items: JsonSchema = schema.items.length === 1 ? (schema.items[0] ?? true) : { allOf: schema.items };
    const minItems = Math.ceil(schema.lower.get('minItems') ?? 0);
    const contained = schema.contains === undefined ? 0 : Math.ceil(schema.lower.get('minContains') ?? 1);
    const maxItems = Math.floor(schema.upper.get('maxItems') ?? Infinity);
    const wanted =
      this.#isMinimal(depth) || this.#height(items) === Infinity
        ? 0
        : Math.max(schema.prefixItems.length, 1 + this.#random.below(2));
    const count = Math.max(minItems, contained, Math.min(wanted, maxItems));
    const values: unknown[] = [];
    const seen = new Set<string | undefined>();
    for (let index = 0; index < count; index += 1) {
      const itemSchema = schema.prefixItems[index] ?? items;
      const isContained = schema.contains !== undefined && index >= count - contained;
      const item = isContained ? { allOf: [itemSchema, schema.contains ?? true] } : itemSchema;
      const value = schema.uniqueItems ? this.#unseen(item, name, depth, seen) : this.build(item, name, depth + 1);
      if (value === undefined) break;
      values.push(value);
      if (!this.complete) break;
    }
    return values;
  }

  /** A value that is not in the list yet; `undefined` where none was found. */
  #unseen(schema: JsonSchema, name: string, depth: number, seen: Set<string | undefined>): unknown {
    const usesHints = this.#usesHints;
    for (let attempt = 0; attempt < UNIQUE_TRIES && this.#remainingCharacters > 0; attempt += 1) {
      this.#usesHints = usesHints && attempt === 0;
      const label = attempt === 0 ? name : `${name} ${seen.size + attempt}`.trimStart();
      const value = this.build(schema, label, depth + 1);
      this.#usesHints = usesHints;
      const text = canonicalText(value);
      if (seen.has(text)) continue;
      seen.add(text);
      return value;
    }
    return undefined;
  }

  #object(schema: MergedSchema, depth: number): Record<string, unknown> {
    // Without a prototype, `__proto__` is an ordinary name.
    const value: Record<string, unknown> = Object.create(null);
    for (const name of this.#memberNames(schema, depth)) {
      if (!this.complete) break;
      this.#remainingCharacters -= name.length;
      const member =
        schema.properties.get(name) ?? (schema.additional.length > 0 ? { allOf: schema.additional } : true);
      value[name] = this.build(member, name, depth + 1);
    }
    return value;
  }

  #memberNames(schema: MergedSchema, depth: number): readonly string[] {
    const names = new Set<string>();
    const maxMembers = schema.upper.get('maxProperties') ?? Infinity;
    const minMembers = schema.lower.get('minProperties') ?? 0;
    const isOpenTo = (name: string): boolean => schema.closedTo.every((closed) => closed.has(name));
    const add = (name: string): void => {
      for (const waiting = [name]; waiting.length > 0;) {
        const next = waiting.pop();
        if (next === undefined || names.has(next)) continue;
        names.add(next);
        for (const dependent of schema.dependentRequired.get(next) ?? []) waiting.push(dependent);
      }
    };
    for (const name of schema.properties.keys()) if (schema.required.has(name)) add(name);
    for (const name of schema.required) add(name);
    for (const [name, member] of schema.properties) {
      const wanted = names.size < minMembers || !this.#isMinimal(depth);
      if (!wanted || names.size >= maxMembers || names.has(name) || !isOpenTo(name)) continue;
      if (this.#height(member) < Infinity) add(name);
    }
    for (let index = 1; names.size < minMembers && index <= 2 * minMembers && index < 2_000; index += 1) {
      const name = this.#extraName(schema, index);
      if (isOpenTo(name)) add(name);
    }
    return [...names];
  }

  #extraName(schema: MergedSchema, index: number): string {
    const name = schema.propertyNames === undefined ? undefined : this.build(schema.propertyNames, '', 1);
    return typeof name === 'string' ? name : `extra_${index}`;
  }
}

function impliedTypes(schema: MergedSchema, attempt: number): readonly JsonType[] {
  const { lower, upper } = schema;
  if (attempt > 0) return ANY_TYPE;
  if (schema.properties.size + schema.required.size + schema.additional.length > 0 || lower.has('minProperties'))
    return ['object'];
  if (schema.items.length + schema.prefixItems.length > 0 || schema.contains !== undefined || lower.has('minItems'))
    return ['array'];
  if (schema.patterns.length > 0 || schema.format !== undefined || lower.has('minLength')) return ['string'];
  const numeric =
    schema.multipleOf !== undefined ||
    lower.has('minimum') ||
    lower.has('exclusiveMinimum') ||
    upper.has('maximum') ||
    upper.has('exclusiveMaximum');
  return numeric ? ['number'] : ['string'];
}

function constantFits(constant: unknown, schema: MergedSchema, work: WorkBudget): boolean {
  if (typeof constant === 'number' && !numberFits(constant, schema, false)) return false;
  return schema.types === undefined || matchesSchema(constant, { type: schema.types }, true, work);
}

function compare(one: number, other: number): number {
  return one === other ? 0 : one - other;
}
