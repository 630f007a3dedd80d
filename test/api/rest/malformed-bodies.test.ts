import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFaults } from '../../harness/malformed-requests/find-faults.ts';
import { malformedRouteNames } from '../../harness/malformed-requests/routes.ts';
import { startMalformedStage, type MalformedStage } from '../../harness/malformed-requests/stage.ts';

/** `test/soak` sends more. */
const BODIES = 100;

let stage: MalformedStage;

beforeAll(async () => {
  stage = await startMalformedStage();
});

afterAll(() => stage.close());

describe(`of ${BODIES} malformed bodies`, () => {
  it.each(malformedRouteNames)(
    'none is the server’s fault, and errors have the format of the protocol: %s',
    async (name) => {
      const route = stage.routes[name] ?? expect.unreachable();
      const { faults, statuses } = await findFaults(stage.server, route, BODIES);
      expect(faults).toEqual([]);
      expect(statuses.get(400)).toBeGreaterThan(BODIES / 20);
    },
  );
});
