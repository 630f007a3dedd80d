import { z } from 'zod';
import { isObject } from '../json-members.ts';
import {
  fault,
  kindOf,
  toError,
  withArticle,
  within,
  wrongType,
  type Check,
  type Compiled,
  type Kind,
} from './fault.ts';
import { MAX_NESTING, isNestedDeeperThan } from './nesting.ts';
import { boolean, compileChoice, compileNumber, compileString } from './scalars.ts';

/** @throws SluiceError with the code and the invalid member, for the first error in document order */
export type Validator<T> = (value: unknown) => asserts value is T;

/**
 * Compiles a validator from a zod schema, which remains the only declaration of a body for types and documentation too.
 * Zod's own parse copies its input and collects every error (1.8 s and 500 MB for 2 MB of invalid parts); this
 * validator does not copy and stops at the first error. Unknown members pass, unless the object is strict; only their
 * nesting is limited by `MAX_NESTING`.
 * @throws TypeError for an unsupported kind of schema: a programming error, found at start
 */
export function compileValidator<S extends z.ZodType>(schema: S): Validator<z.input<S>> {
  const { check } = compile(schema);
  return function assertValid(value: unknown): asserts value is z.input<S> {
    const found = check(value);
    if (found !== undefined) throw toError(found);
  };
}

const unconstrained: Compiled = {
  kinds: [],
  noun: 'value',
  check: (value) =>
    typeof value === 'object' && isNestedDeeperThan(value, MAX_NESTING)
      ? fault('invalid_value', { reason: `it is nested more than ${MAX_NESTING} levels deep.` })
      : undefined,
};

function compile(schema: z.core.$ZodType): Compiled {
  if (schema instanceof z.ZodOptional) return compileOptional(compile(schema.def.innerType));
  if (schema instanceof z.ZodNullable) return compileNullable(compile(schema.def.innerType));
  if (schema instanceof z.ZodUnknown) return unconstrained;
  if (schema instanceof z.ZodString) return compileString(schema);
  if (schema instanceof z.ZodNumber) return compileNumber(schema);
  if (schema instanceof z.ZodBoolean) return boolean;
  if (schema instanceof z.ZodEnum) return compileChoice(schema.options.map(String));
  if (schema instanceof z.ZodLiteral) return compileChoice([...schema.values].map(String));
  if (schema instanceof z.ZodObject) return compileObject(schema);
  if (schema instanceof z.ZodArray) return compileArray(schema);
  if (schema instanceof z.ZodRecord) return compileRecord(schema);
  if (schema instanceof z.ZodDiscriminatedUnion) return compileDiscriminatedUnion(schema);
  if (schema instanceof z.ZodUnion) return compileUnion(schema.options.map(compile));
  throw new TypeError(`No validator can be made of the schema kind ${schema._zod.def.type}`);
}

function compileOptional(inner: Compiled): Compiled {
  const { check } = inner;
  return { ...inner, check: (value) => (value === undefined ? undefined : check(value)) };
}

function compileNullable(inner: Compiled): Compiled {
  const { check } = inner;
  return {
    ...inner,
    kinds: inner.kinds.length === 0 ? inner.kinds : [...inner.kinds, 'null'],
    check: (value) => (value === null ? undefined : check(value)),
  };
}

function compileObject(schema: z.ZodObject): Compiled {
  const members = new Map<string, Check>();
  const required: string[] = [];
  for (const [key, member] of Object.entries(schema.shape)) {
    members.set(key, compile(member).check);
    if (!(member instanceof z.ZodOptional)) required.push(key);
  }
  const strict = schema.def.catchall instanceof z.ZodNever;
  return {
    kinds: ['object'],
    noun: 'object',
    check: (value) => {
      if (!isObject(value)) return wrongType('an object', value);
      for (const key in value) {
        const member = members.get(key);
        if (member === undefined && strict) return within(key, fault('unknown_parameter'));
        const found = (member ?? unconstrained.check)(value[key]);
        if (found !== undefined) return within(key, found);
      }
      for (const key of required) if (value[key] === undefined) return within(key, fault('missing_required_parameter'));
      return undefined;
    },
  };
}

function compileArray(schema: z.ZodArray): Compiled {
  const element = compile(schema.element);
  const { check } = element;
  let least = 0;
  let most = Infinity;
  for (const bound of schema.def.checks ?? []) {
    if (bound instanceof z.core.$ZodCheckMinLength) least = bound._zod.def.minimum;
    else if (bound instanceof z.core.$ZodCheckMaxLength) most = bound._zod.def.maximum;
    else throw new TypeError(`No validator can be made of the array check ${bound._zod.def.check}`);
  }
  const noun = element.kinds.length === 0 ? 'array' : `array of ${element.noun}s`;
  return {
    kinds: ['array'],
    noun,
    check: (value) => {
      if (!Array.isArray(value)) return wrongType(withArticle(noun), value);
      const length = value.length;
      if (length < least) return fault(length === 0 ? 'empty_array' : 'array_below_min_length', { limit: least });
      if (length > most) return fault('array_above_max_length', { limit: most });
      for (let index = 0; index < length; index++) {
        const found = check(value[index]);
        if (found !== undefined) return within(index, found);
      }
      return undefined;
    },
  };
}

function compileRecord(schema: z.ZodRecord): Compiled {
  const key = compile(schema.keyType).check;
  const item = compile(schema.valueType).check;
  // Zod has no check for it. The schema sets it as metadata, also for its JSON Schema.
  const most = Number(schema.meta()?.maxProperties ?? Infinity);
  return {
    kinds: ['object'],
    noun: 'object',
    check: (value) => {
      if (!isObject(value)) return wrongType('an object', value);
      let count = 0;
      for (const name in value) {
        if (++count > most) return fault('object_above_max_properties', { limit: most });
        const found = key(name) ?? item(value[name]);
        if (found !== undefined) return within(name, found);
      }
      return undefined;
    },
  };
}

function compileDiscriminatedUnion(schema: z.ZodDiscriminatedUnion): Compiled {
  const { discriminator } = schema.def;
  const options = new Map<unknown, Check>();
  for (const option of schema.options) {
    const { check } = compile(option);
    for (const value of option._zod.propValues?.[discriminator] ?? []) options.set(value, check);
  }
  const { check: checkDiscriminator } = compileChoice([...options.keys()].map(String));
  return {
    kinds: ['object'],
    noun: 'object',
    check: (value) => {
      if (!isObject(value)) return wrongType('an object', value);
      const tag = value[discriminator];
      const option = options.get(tag);
      if (option !== undefined) return option(value);
      const found = tag === undefined ? fault('missing_required_parameter') : checkDiscriminator(tag);
      return found && within(discriminator, found);
    },
  };
}

/**
 * Options must differ in their JSON kind, so that a value meets one check and its error refers to the intended option.
 */
function compileUnion(options: readonly Compiled[]): Compiled {
  const byKind = new Map<Kind | undefined, Check>();
  for (const option of options)
    for (const kind of option.kinds.length === 0 ? fail('an option that takes anything') : option.kinds) {
      if (byKind.has(kind)) fail(`two options of the kind ${kind}`);
      byKind.set(kind, option.check);
    }
  const nouns = options.map((option) => option.noun);
  const noun = nouns.join(' or ');
  const expected = `one of ${withArticle(noun)}`;
  return {
    kinds: options.flatMap((option) => option.kinds),
    noun: 'value',
    check: (value) => {
      const check = byKind.get(kindOf(value));
      return check === undefined ? wrongType(expected, value) : check(value);
    },
  };
}

function fail(what: string): never {
  throw new TypeError(`No validator can be made of a union with ${what}`);
}
