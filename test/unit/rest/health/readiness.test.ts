import { expect, it } from 'vitest';
import { readiness } from '../../../../src/composition/gateway/readiness.ts';

const journal = { failure: null };
const drainer = { failing: false };

it('is not ready before the first owner can sign in', () => {
  expect(readiness(journal, drainer, true, false)).toMatchObject({ ready: false, checks: { owner: 'being created' } });
  expect(readiness(journal, drainer, true, true)).toMatchObject({ ready: true, checks: { owner: 'ok' } });
});
