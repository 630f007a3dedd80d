import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../../src/config/config-file.ts';
import { defaultTimeouts } from '../../../../src/gateway/routing/timeouts.ts';
import { readRoutes } from '../../../../src/composition/gateway/read-routes.ts';
import { routeSchema, toRules } from '../../../../src/services/routes/route-input.ts';
import { readAccountRoutes } from '../../../../src/services/connections/route-settings.ts';
import { Account, AccountRoute } from '../../../../src/database/entities/index.ts';

const target = { model: 'm' };

/** A route as account input, and in `sluice.yaml`. */
const routes: readonly (readonly [given: object, inFile: object])[] = [
  [{}, {}],
  ...['listed', 'weighted', 'price', 'latency', 'throughput', 'random'].map((order) => [{ order }, { order }] as const),
  ...['drop', 'strict', 'ignore'].map((parameters) => [{ parameters }, { parameters }] as const),
  [{ sticky: true }, { sticky: 'user' }],
  [{ sticky: false }, { sticky: 'none' }],
  ...[-1, 0, 1.5, 10, 11].map((retries) => [{ retries }, { retries }] as const),
  ...[0, 0.001, 86_400, 86_401].flatMap((seconds) => [
    [{ cacheSeconds: seconds }, { cache: seconds }] as const,
    [{ timeouts: { connectSeconds: seconds } }, { timeouts: { connect: seconds } }] as const,
    [{ timeouts: { answerSeconds: seconds } }, { timeouts: { answer: seconds } }] as const,
    [{ timeouts: { headersSeconds: seconds } }, { timeouts: { headers: seconds } }] as const,
    [{ timeouts: { firstTokenSeconds: seconds } }, { timeouts: { first_token: seconds } }] as const,
    [{ timeouts: { betweenChunksSeconds: seconds } }, { timeouts: { between_chunks: seconds } }] as const,
  ]),
  ...['', 'm', 'm'.repeat(256), 'm'.repeat(257)].flatMap((model) => [
    [{ larger: model }, { larger: model }] as const,
    [{ targets: [{ model }] }, { targets: [model] }] as const,
    [{ name: model }, { name: model }] as const,
  ]),
  ...[-1, 0, 0.5, 1_000_000, 1_000_001].map((weight) => {
    const targets = [{ ...target, weight }];
    return [{ targets }, { targets }] as const;
  }),
  ...[0, 1, 64, 65].map((length) => {
    const targets = Array.from({ length }, () => target);
    return [{ targets }, { targets }] as const;
  }),
];

function fromFile({ name = 'r', ...members }: Record<string, unknown>) {
  const usual = { order: 'price', sticky: 'user', parameters: 'strict', retries: 5, cache: 7 };
  const file = { routing: usual, routes: { [String(name)]: { targets: [target], ...members } } };
  try {
    const { routes: read, defaults: rules } = readRoutes(parseConfig('f', JSON.stringify(file), {}), defaultTimeouts);
    return { routes: read, usual: rules };
  } catch {
    return null;
  }
}

function row(given: object): AccountRoute | null {
  const parsed = routeSchema.safeParse({ name: 'r', targets: [target], ...given });
  if (!parsed.success) return null;
  // As returned by the database.
  const settings = JSON.parse(JSON.stringify(toRules(parsed.data)));
  return Object.assign(new AccountRoute(), { account: new Account(), name: parsed.data.name, settings });
}

describe('a route of an account', () => {
  it.each(routes)('of %j is taken, or not, as sluice.yaml takes %j, and means the same', (given, inFile) => {
    const [made, configured] = [row(given), fromFile({ ...inFile })];
    expect(made === null).toBe(configured === null);
    if (made === null || configured === null) return;
    const { timeouts: _, ...usual } = configured.usual;
    const read = readAccountRoutes([made])?.get(made.name);
    expect({ ...usual, ...read }).toEqual(configured.routes.get(made.name));
  });

  it('accepts null for absent settings', () => {
    const nothing = { order: null, sticky: null, parameters: null, retries: null, larger: null, cacheSeconds: null };
    const [given, absent] = [row({ ...nothing, timeouts: null, targets: [{ ...target, weight: null }] }), row({})];
    expect(given).not.toBeNull();
    expect(given?.settings).toEqual(absent?.settings);
  });
});

describe('cached routes', () => {
  const one = row({ name: 'one', timeouts: { connectSeconds: 1 } }) ?? expect.fail();
  const two = row({ name: 'two' }) ?? expect.fail();

  it('are the same objects if nothing changed, in any order', () => {
    const before = readAccountRoutes([one, two]);
    expect(readAccountRoutes([two, { ...one, updatedAt: new Date() }], before)).toBe(before);
  });

  it('are new if one is added, changed, renamed or removed, and reuse unchanged ones', () => {
    const before = readAccountRoutes([one, two]);
    const changed = { ...two, settings: { ...two.settings, retries: 0 } };
    const added = row({ name: 'three' }) ?? expect.fail();
    for (const rows of [[one, changed], [one], [one, { ...two, name: 'renamed' }], [one, two, added]]) {
      const after = readAccountRoutes(rows, before);
      expect(after).not.toBe(before);
      expect([...(after?.keys() ?? [])]).toEqual(rows.map(({ name }) => name));
      expect(after?.get('one')).toBe(before?.get('one'));
    }
    expect(readAccountRoutes([one, changed], before)?.get('two')).toMatchObject({ retries: 0 });
    expect(readAccountRoutes([], before)).toBeUndefined();
  });
});
