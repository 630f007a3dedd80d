import { expect, it } from 'vitest';
import { readiness } from '../../../../src/composition/gateway/readiness.ts';

const journal = { failure: null };
const drainer = { failing: false };
const serving = { hasOwner: true, isStopping: false };

it('is not ready before the first owner can sign in', () => {
  expect(readiness(journal, drainer, true, { ...serving, hasOwner: false })).toMatchObject({
    ready: false,
    checks: { owner: 'being created' },
  });
  expect(readiness(journal, drainer, true, serving)).toMatchObject({ ready: true, checks: { owner: 'ok' } });
});

it('is not ready while the process stops', () => {
  expect(readiness(journal, drainer, true, { ...serving, isStopping: true })).toMatchObject({
    ready: false,
    checks: { process: 'stopping' },
  });
});
