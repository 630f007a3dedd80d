import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/harness/build.ts', 'test/harness/global-setup.ts'],
    setupFiles: ['test/harness/setup.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // What is waited for comes at once, or when a busy machine gets to it: only what never comes fails.
    expect: { poll: { timeout: 60_000 } },
    // Each file opens databases and sockets of its own; two at a time keep a small machine responsive.
    maxWorkers: 2,
  },
});
