import { expect, it } from 'vitest';
import { Catalogue } from '../../../../src/catalogue/catalogue.ts';
import { parseConfig } from '../../../../src/config/config-file.ts';
import { readRoutes } from '../../../../src/composition/gateway/read-routes.ts';
import { ModelRouter } from '../../../../src/gateway/routing/model-router.ts';
import { defaultTimeouts } from '../../../../src/gateway/routing/timeouts.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';

it('50,000 names are compared in a second to find similar ones', () => {
  const clock = new FakeClock();
  const router = new ModelRouter(new Catalogue(), undefined, clock);
  const table = readRoutes(parseConfig('sluice.yaml', '', {}), defaultTimeouts);
  const others = Array.from({ length: 4_999 }, (_, at) => [`a-much-longer-name-${at}`, 'openai/gpt-4.1'] as const);
  router.use({ connections: [], ...table, aliases: new Map([['quick', 'openai/gpt-4.1'], ...others]) });
  const search = (): readonly string[] => router.similarModels('quikc', 'one', () => true);
  for (let count = 0; count < 10; count++) expect(search()).toEqual(['quick']);
  expect(search()).toEqual([]);
  clock.advance(999);
  expect(search()).toEqual([]);
  clock.advance(1);
  expect(search()).toEqual(['quick']);
});
