import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFaults } from '../harness/malformed-requests/find-faults.ts';
import { malformedRouteNames } from '../harness/malformed-requests/routes.ts';
import { startMalformedStage, type MalformedStage } from '../harness/malformed-requests/stage.ts';

/** For each route. `SLUICE_TEST_BODIES=10000` takes a quarter of an hour. */
const BODIES = Number(process.env.SLUICE_TEST_BODIES ?? 2_000);
const REPORTED = Math.ceil(BODIES / 4);

/** On the embedded database. */
let stage: MalformedStage;

beforeAll(async () => {
  stage = await startMalformedStage();
});

afterAll(() => stage.close());

describe(`of ${BODIES} generated bodies`, () => {
  it.each(malformedRouteNames)('none makes the server fail, and errors name the member: %s', async (name) => {
    let done = 0;
    const progress = (): void => {
      if (++done % REPORTED === 0) process.stdout.write(`${name}: ${done} of ${BODIES} bodies\n`);
    };
    const route = stage.routes[name] ?? expect.unreachable();
    const { faults, statuses } = await findFaults(stage.server, route, BODIES, progress);
    expect(faults).toEqual([]);
    expect(statuses.get(400)).toBeGreaterThan(BODIES / 20);
  });

  it('many reach the providers of each protocol', () => {
    const { arrived } = stage.provider;
    for (const protocol of ['chat-completions', 'responses', 'messages', 'gemini', 'completions', 'embeddings'])
      expect(arrived.get(protocol), protocol).toBeGreaterThan(BODIES / 100);
  });
});
