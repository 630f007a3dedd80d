import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  type Arbitrary,
  array,
  assert,
  boolean,
  constant,
  constantFrom,
  dictionary,
  integer,
  jsonValue,
  letrec,
  nat,
  oneof,
  property,
  string,
  subarray,
  tuple,
  uniqueArray,
} from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { valueFromSchema } from '../../../../../src/providers/sandbox/json-schema/value-from-schema.ts';
import { newWorkBudget, type WorkBudget } from '../../../../../src/providers/sandbox/json-schema/work-budget.ts';
import { SeededRandom } from '../../../../../src/providers/sandbox/text/seeded-random.ts';

const wishes = { question: 'What is the weather in Paris in celsius for 3 days?', names: ['Paris'], numbers: [3] };
const formats: Record<string, RegExp> = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  date: /^\d{4}-\d\d-\d\d$/,
  time: /^\d\d:\d\d:\d\dZ$/,
  duration: /^P(\d+D)?(T(\d+H)?(\d+M)?(\d+S)?)?$/,
  email: /^[^@\s]+@[^@\s]+\.[a-z]+$/,
  hostname: /^[a-z0-9.-]+$/,
  ipv4: /^(\d{1,3}\.){3}\d{1,3}$/,
  ipv6: /^[0-9a-f:]+$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  uri: /^https:\/\/\S+$/,
};

type Schema = boolean | Record<string, unknown>;

function generate(schema: Schema, seed = 'seed'): unknown {
  return JSON.parse(JSON.stringify(valueFromSchema(schema, new SeededRandom(seed), wishes, newWorkBudget()).value));
}

function faults(schema: Schema, value: unknown): string {
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats, logger: false });
  return ajv.validate(schema, value) ? '' : `${JSON.stringify(value)}: ${ajv.errorsText()}`;
}

function expectSatisfied(schema: Schema): void {
  for (const seed of ['a', 'b', 'c', 'd']) expect(faults(schema, generate(schema, seed))).toBe('');
}

const range = (max: number) =>
  tuple(nat(max), nat(max)).map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const);
const scalar: Arbitrary<Schema> = oneof(
  constant({ type: 'null' }),
  constant({ type: 'boolean' }),
  constant({ type: ['string', 'null'] }),
  range(1_000).map(([minimum, maximum]) => ({ type: 'integer', minimum, maximum })),
  range(1_000).map(([minimum, spread]) => ({ type: 'number', exclusiveMinimum: -minimum, maximum: spread + 1 })),
  tuple(integer({ min: 1, max: 30 }), integer({ min: -500, max: 500 })).map(([multipleOf, minimum]) => ({
    type: 'integer',
    multipleOf,
    minimum,
  })),
  range(60).map(([minLength, maxLength]) => ({ type: 'string', minLength, maxLength })),
  constantFrom(...Object.keys(formats)).map((format) => ({ type: 'string', format })),
  constantFrom('^[A-Z]{2}\\d{4}$', '^(foo|ba[rz])+$', '^\\w+@\\w+\\.com$', '^[^a-z]{3,}$', '^\\+?[0-9 ()-]{7,15}$').map(
    (pattern) => ({ type: 'string', pattern }),
  ),
  uniqueArray(oneof(string(), integer(), boolean()), { minLength: 1, maxLength: 5 }).map((values) => ({
    enum: values,
  })),
  // Ajv calls a value's own `valueOf` when it compares.
  jsonValue({ maxDepth: 2 })
    .filter((value) => !JSON.stringify(value).includes('"valueOf"'))
    .map((value) => ({ const: value })),
);
const { tree } = letrec<{ tree: Schema }>((tie) => ({
  tree: oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    dictionary(string({ minLength: 1, maxLength: 8 }), tie('tree'), { maxKeys: 5 }).chain((properties) =>
      tuple(subarray(Object.keys(properties)), boolean()).map(([required, additionalProperties]) => ({
        type: 'object',
        properties,
        required,
        additionalProperties,
      })),
    ),
    tuple(tie('tree'), range(4)).map(([items, [minItems, maxItems]]) => ({ type: 'array', items, minItems, maxItems })),
    array(tie('tree'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    tuple(tie('tree'), constantFrom('a', 'b')).map(([member, name]) => ({
      allOf: [
        { type: 'object', properties: { [name]: member }, required: [name] },
        { properties: { other: { type: 'string' } }, required: ['other'] },
      ],
    })),
  ),
}));

describe('a value generated from a schema', () => {
  it('satisfies any schema of types, bounds, patterns, lists, objects and branches', () => {
    assert(
      property(tree, string(), (schema, seed) => {
        expect(faults(schema, generate(schema, seed))).toBe('');
      }),
      { numRuns: 200 },
    );
  });

  it('is the same for the same seed and differs between seeds', () => {
    const schema = { type: 'string', format: 'uuid' };
    expect(generate(schema, 'one')).toBe(generate(schema, 'one'));
    expect(generate(schema, 'one')).not.toBe(generate(schema, 'two'));
  });

  it('can have a member named __proto__', () => {
    const properties = JSON.parse('{"__proto__":{"const":1},"constructor":{"const":2}}');
    const schema = { type: 'object', properties, required: ['__proto__', 'constructor'], additionalProperties: false };
    const { value } = valueFromSchema(schema, new SeededRandom('a'), wishes, newWorkBudget());
    expect(JSON.stringify(value)).toBe('{"__proto__":1,"constructor":2}');
  });

  it('contains values that the user named', () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, unit: { enum: ['fahrenheit', 'celsius'] }, days: { type: 'integer' } },
      required: ['city', 'unit', 'days'],
    };
    expect(generate(schema)).toEqual({ city: 'Paris', unit: 'celsius', days: 3 });
  });

  it('is a small number if the bounds are those of a type', () => {
    const schema = z.toJSONSchema(
      z.object({ days: z.int(), port: z.int32(), rate: z.float32(), id: z.number().int().positive() }),
    );
    for (const seed of ['a', 'b', 'c', 'd'])
      for (const value of Object.values(z.record(z.string(), z.number()).parse(generate(schema, seed)))) {
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(50);
      }
  });

  it.each<[string, Schema]>([
    ['an integer that is far from zero', { type: 'integer', minimum: 5e9, maximum: 5e9 + 3 }],
    ['an integer that is far below zero', { type: 'integer', minimum: -5e9 - 3, maximum: -5e9 }],
    ['a large multiple', { type: 'integer', multipleOf: 3e6, exclusiveMinimum: 0, maximum: 4e6 }],
    ['a number that is far from zero', { type: 'number', exclusiveMinimum: 5e9, maximum: 5e9 + 1 }],
    ['an exclusive branch', { oneOf: [{ type: 'number' }, { type: 'integer' }] }],
    [
      'a tagged union',
      {
        oneOf: [
          {
            type: 'object',
            properties: { kind: { const: 'a' }, x: { type: 'integer' } },
            required: ['kind', 'x'],
            additionalProperties: false,
          },
          { type: 'object', properties: { kind: { const: 'b' } }, required: ['kind'], additionalProperties: false },
        ],
      },
    ],
    ['a negation', { type: 'integer', not: { multipleOf: 2 } }],
    ['a negated type', { not: { type: 'string' } }],
    [
      'a condition',
      {
        type: 'object',
        properties: { paid: { type: 'boolean' }, amount: { type: 'number' } },
        required: ['paid'],
        ...JSON.parse(
          '{"if":{"properties":{"paid":{"const":true}}},"then":{"required":["amount"]},"else":{"properties":{"amount":false}}}',
        ),
      },
    ],
    [
      'a linked list',
      {
        $ref: '#/$defs/node',
        $defs: {
          node: {
            type: 'object',
            properties: { next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } },
            required: ['next'],
            additionalProperties: false,
          },
        },
      },
    ],
    [
      'a binary tree',
      {
        $defs: {
          'a/b': {
            type: 'object',
            properties: {
              left: { anyOf: [{ $ref: '#/$defs/a~1b' }, { type: 'null' }] },
              right: { anyOf: [{ $ref: '#/$defs/a~1b' }, { type: 'null' }] },
            },
            required: ['left', 'right'],
          },
        },
        $ref: '#/$defs/a~1b',
      },
    ],
    [
      'a tree that refers to the whole',
      { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } }, required: ['children'] },
    ],
    ['distinct items', { type: 'array', items: { enum: ['a', 'b', 'c', 'd'] }, uniqueItems: true, minItems: 4 }],
    ['distinct texts', { type: 'array', items: { type: 'string' }, uniqueItems: true, minItems: 6 }],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false, minItems: 2 }],
    ['a contained item', { type: 'array', items: { type: 'integer' }, contains: { minimum: 900 }, minContains: 2 }],
    ['members of any name', { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 3 }],
    ['a required member without a schema', { type: 'object', required: ['free'] }],
    ['a pattern with a length', { type: 'string', pattern: '^[a-z]+(-[a-z]+)*$', minLength: 30, maxLength: 40 }],
    ['Unicode classes', { type: 'string', pattern: '^\\p{Lu}\\p{L}+ \\u{1F600}[^\\W\\d]$' }],
    ['intersecting types', { allOf: [{ type: ['integer', 'string'] }, { type: 'number' }], minimum: 5 }],
    ['a fraction', { type: 'number', multipleOf: 0.25, minimum: 0.3 }],
    [
      'what is needed together',
      { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], dependentRequired: { a: ['b'] } },
    ],
    ['everything', true],
  ])('satisfies %s', (_, schema) => expectSatisfied(schema));
});

/** Counts the reads of the budget, including those after it is exhausted, and the work spent. */
class CountedBudget implements WorkBudget {
  #left = newWorkBudget().remaining;
  looks = 0;
  spent = 0;

  get remaining(): number {
    this.looks++;
    return this.#left;
  }

  set remaining(left: number) {
    this.spent += this.#left - left;
    this.#left = left;
  }
}

describe('a hostile schema', () => {
  const nested = (depth: number): Schema => {
    let schema: Schema = { type: 'string' };
    for (let level = 0; level < depth; level += 1) schema = { type: 'array', items: schema, minItems: 1 };
    return schema;
  };
  const fan = {
    $ref: '#/$defs/f',
    $defs: {
      f: {
        type: 'object',
        properties: Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`m${index}`, { $ref: '#/$defs/f' }])),
        required: Array.from({ length: 30 }, (_, index) => `m${index}`),
      },
    },
  };
  const branching = {
    $defs: {
      f: { anyOf: Array.from({ length: 50 }, () => ({ type: 'array', items: { $ref: '#/$defs/f' }, minItems: 3 })) },
    },
    $ref: '#/$defs/f',
  };
  const proving = {
    $defs: {
      f: {
        oneOf: [
          { type: 'array', items: { $ref: '#/$defs/f' }, minItems: 2, maxItems: 2 },
          { type: 'array', items: { $ref: '#/$defs/f' }, minItems: 2 },
        ],
      },
    },
    $ref: '#/$defs/f',
  };

  it.each<[string, Schema]>([
    ['that refers to itself only', { $ref: '#' }],
    ['that must hold itself', { type: 'object', properties: { self: { $ref: '#' } }, required: ['self'] }],
    ['50,000 levels deep', nested(50_000)],
    ['that fans out', fan],
    ['of endless branches', branching],
    ['of endless exclusive branches', proving],
    ['of a billion items', { type: 'array', items: { type: 'integer' }, minItems: 1e9 }],
    [
      'of a billion patterns',
      { type: 'array', items: { type: 'string', pattern: '^((a{0,9}){0,9}){900}$', minLength: 5_000 }, minItems: 1e9 },
    ],
    ['of a billion characters', { type: 'string', minLength: 1e9 }],
    ['of a billion members', { type: 'object', minProperties: 1e9 }],
    ['of a pattern that explodes', { type: 'string', pattern: '^((a{1000}){1000}){1000}$' }],
    ['with a constant 10,000 levels deep', { const: JSON.parse(`${'['.repeat(10_000)}${']'.repeat(10_000)}`) }],
  ])('%s is bounded, and its value is marked as incomplete', (_, schema) => {
    const work = new CountedBudget();
    const { value, complete } = valueFromSchema(schema, new SeededRandom('hostile'), wishes, work);
    const text = JSON.stringify(value);
    // The cheapest step reads the budget before and after it.
    expect(work.looks).toBeLessThan(3 * newWorkBudget().remaining);
    expect(work.spent).toBeLessThan(2 * newWorkBudget().remaining);
    expect(text.length).toBeLessThan(200_000);
    if (!complete) return;
    expect(text).toMatch(/^("|\{|\[|null)/);
  });

  it('that is unsatisfiable or malformed still gives a value', () => {
    for (const schema of [
      false,
      { type: [] },
      { enum: [] },
      { $ref: 'https://example.com/other' },
      { allOf: [{ type: 'string' }, { type: 'null' }] },
      { pattern: '(' },
      { properties: 7, required: 'x', anyOf: {} },
    ]) {
      expect(valueFromSchema(schema, new SeededRandom('x'), wishes, newWorkBudget()).value).not.toBeUndefined();
    }
  });
});
