import { z } from 'zod';
import { fault, listValues, wrongType, type Check, type Compiled, type Fault } from './fault.ts';

export const boolean: Compiled = {
  kinds: ['boolean'],
  noun: 'boolean',
  check: (value) => (typeof value === 'boolean' ? undefined : wrongType('a boolean', value)),
};

export function compileChoice(values: readonly string[]): Compiled {
  const allowed = new Set<unknown>(values);
  const reason = `it must be ${listValues(values)}.`;
  return {
    kinds: ['string'],
    noun: 'string',
    check: (value) => {
      if (allowed.has(value)) return undefined;
      return typeof value === 'string' ? fault('invalid_value', { reason }) : wrongType('a string', value);
    },
  };
}

/** Lengths count characters (Unicode code points), as JSON Schema does, where zod counts UTF-16 units. */
export function compileString(schema: z.ZodString): Compiled {
  const checks: ((value: string) => Fault | undefined)[] = [];
  for (const bound of schema.def.checks ?? []) {
    if (bound instanceof z.core.$ZodCheckMinLength) checks.push(atLeast(bound._zod.def.minimum));
    else if (bound instanceof z.core.$ZodCheckMaxLength) checks.push(atMost(bound._zod.def.maximum));
    else if (bound instanceof z.core.$ZodCheckRegex) checks.push(matching(bound._zod.def));
    else throw new TypeError(`No validator can be made of the string check ${bound._zod.def.check}`);
  }
  return {
    kinds: ['string'],
    noun: 'string',
    check: (value) => {
      if (typeof value !== 'string') return wrongType('a string', value);
      for (const check of checks) {
        const found = check(value);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

function atLeast(limit: number): (value: string) => Fault | undefined {
  return (value) => (value.length < limit ? fault('string_below_min_length', { limit }) : undefined);
}

function atMost(limit: number): (value: string) => Fault | undefined {
  return (value) =>
    value.length > limit && (value.length > 2 * limit || codePoints(value) > limit)
      ? fault('string_above_max_length', { limit })
      : undefined;
}

function codePoints(value: string): number {
  let count = 0;
  for (const _ of value) count++;
  return count;
}

const patternReasons = new WeakMap<RegExp, string>();

/** Attaches the error text `it must ...` to a pattern. */
export function explainedPattern(pattern: RegExp, reason: string): RegExp {
  patternReasons.set(pattern, reason);
  return pattern;
}

function matching({ pattern }: z.core.$ZodCheckRegexDef): (value: string) => Fault | undefined {
  const reason = patternReasons.get(pattern) ?? `it must match ${pattern.source}.`;
  return (value) => (pattern.test(value) ? undefined : fault('invalid_value', { reason }));
}

/** Zod limits `int()` to safe integers; `multipleOf(1)` is an integer of any size (a 64-bit seed). */
export function compileNumber(schema: z.ZodNumber): Compiled {
  let least = -Infinity;
  let most = Infinity;
  let integer = false;
  if (schema instanceof z.ZodNumberFormat) {
    integer = true;
    least = Number.MIN_SAFE_INTEGER;
    most = Number.MAX_SAFE_INTEGER;
  }
  for (const bound of schema.def.checks ?? []) {
    if (bound instanceof z.core.$ZodCheckGreaterThan && bound._zod.def.inclusive)
      least = Math.max(least, Number(bound._zod.def.value));
    else if (bound instanceof z.core.$ZodCheckLessThan && bound._zod.def.inclusive)
      most = Math.min(most, Number(bound._zod.def.value));
    else if (bound instanceof z.core.$ZodCheckMultipleOf && bound._zod.def.value === 1) integer = true;
    else throw new TypeError(`No validator can be made of the number check ${bound._zod.def.check}`);
  }
  return { kinds: ['number'], noun: integer ? 'integer' : 'decimal', check: bounded(integer, least, most) };
}

function bounded(integer: boolean, least: number, most: number): Check {
  const expected = integer ? 'an integer' : 'a decimal';
  const below = integer ? 'integer_below_min_value' : 'decimal_below_min_value';
  const above = integer ? 'integer_above_max_value' : 'decimal_above_max_value';
  return (value) => {
    if (typeof value !== 'number') return wrongType(expected, value);
    if (value < least) return fault(below, { limit: least });
    if (value > most) return fault(above, { limit: most });
    if (integer ? Number.isInteger(value) : Number.isFinite(value)) return undefined;
    return wrongType(expected, value);
  };
}
