import { readFileSync } from 'node:fs';
import { buildSchema, Kind, parse } from 'graphql';
import { expect, it } from 'vitest';
import { KeysDocument } from '../../../src/dashboard/generated/graphql.ts';
import { costOf } from '../../../src/graphql/limits/cost.ts';

it('a page of 100 keys with their spend costs 12 points a key', () => {
  const schema = buildSchema(readFileSync(new URL('../../../schema/schema.graphql', import.meta.url), 'utf8'));
  const document = parse(KeysDocument.toString());
  const operation = document.definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION);
  if (operation === undefined) throw new Error('the document has no operation');
  const range = { from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' };
  const cost = costOf(schema, document, operation, { first: 100, month: range, all: range, withUsage: true });
  expect(cost).toBeLessThanOrEqual(1_210);
});
