import { defineConfig } from 'vitest/config';
import { lanes } from './test/harness/lanes.ts';

const setupFiles = ['./test/harness/setup.ts', ...(process.env.SLUICE_COVERAGE ? ['./test/coverage/record.ts'] : [])];

/** A lane: one folder of tests that need the same parts. CONTRIBUTING says which lane a test belongs to. */
function lane(name: string, groupOrder: number, maxWorkers = 2) {
  return {
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      setupFiles,
      // Modules are loaded once for each worker. No file may leave state behind: `npm run test:random` checks it.
      isolate: false,
      // One lane after the other: each has the machine to itself.
      sequence: { groupOrder },
      // Only what never comes fails; what a busy machine delays does not.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 120_000 } },
      maxWorkers,
    },
  };
}

export default defineConfig({
  test: {
    reporters: ['./test/harness/lane-reporter.ts'],
    globalSetup: ['./test/harness/global-setup.ts'],
    // A promise's time is measured with nothing beside it.
    projects: lanes.map((name, index) => lane(name, index + 1, name === 'promises' ? 1 : 2)),
  },
});
