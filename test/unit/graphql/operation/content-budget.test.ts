import { expect, it } from 'vitest';
import { MAX_CONTENT_BYTES, OperationContentBudget } from '../../../../src/graphql/operation/content-budget.ts';

it('allows the content of an operation up to a limit, in any number of reads', () => {
  const budget = new OperationContentBudget();
  budget.spend(MAX_CONTENT_BYTES - 1);
  budget.spend(1);
  const refused = expect.objectContaining({ code: 'operation_too_large' });
  expect(() => budget.spend(1)).toThrow(refused);
  expect(() => budget.spend(1)).toThrow(refused);
});
