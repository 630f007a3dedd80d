import { ContentSeals } from '../../src/gateway/reasoning/content-seals.ts';

const seals = new ContentSeals('a master key of the tests, long enough');

/** Of one account. */
export const seal = seals.of('account');

/** Reads the reasoning of that account's items. */
export const reader = { parse: JSON.parse, seal };
