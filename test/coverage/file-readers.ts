/** A lane, a test file, or a folder of test files that ends with a slash. */
export type Readers = readonly string[];

const allLanes: Readers = ['unit', 'services', 'api', 'browser'];

/**
 * Which tests read a file other than by an import, so that neither imports nor coverage show it. All entries that match
 * a path hold for it. A file without an entry that is not code belongs to the unit lane.
 */
export const fileReaders: readonly (readonly [path: RegExp, readers: Readers])[] = [
  [/^README\.md$/, ['test/api/graphql/clients/', 'test/api/readme/', 'test/unit/docs/']],
  [/^docs\//, ['unit', 'test/api/graphql/clients/', 'test/api/readme/']],
  [/^CONTRIBUTING\.md$/, ['test/unit/docs/', 'test/unit/providers/declarations.test.ts']],
  [/^(CHANGELOG|SECURITY)\.md$/, ['test/unit/docs/']],
  [/^(LICENSE|test\/coverage\/map\.json)$/, []],
  [/^test\/(bench|faults)\/.*\.(md|jsonl?)$/, []],
  [/^\.npmrc$/, ['test/unit/architecture/install-scripts.test.ts']],
  // What every test is made of.
  [/^(package-lock\.json|package\.json|tsconfig\.json|vitest\.config\.ts)$/, allLanes],
  [/^test\/harness\/(global-setup|lane-reporter|lanes|setup)\.ts$/, allLanes],
  [/^(package-lock|package)\.json$/, ['test/soak/cli/']],
  [/^migrations\//, ['services', 'api', 'browser']],
  [/^schema\//, ['unit', 'test/api/graphql/audit.test.ts', 'test/api/graphql/tenant-isolation.test.ts']],
  [/^schema\/openapi\.json$/, ['test/soak/openapi.test.ts']],
  [/^test\/(openapi\/|requirements\.)/, ['test/soak/openapi.test.ts']],
  [/^test\/requirements\./, ['test/api/readme/']],
  [/^test\/fixtures\//, ['unit']],
  [/^test\/fixtures\/migrations\//, ['test/services/database/', 'test/soak/database/']],
  [/^test\/fixtures\/openai\//, ['test/api/rest/responses/responses-schema.test.ts']],
  // Rules about the text of the sources.
  [/^src\/.*\.(ts|tsx|mjs)$/, ['test/unit/architecture/', 'test/services/audit/audit-log.test.ts']],
  [/^src\/.*\.(css|graphql|html|json|jsonl|svg)$/, ['unit']],
  [/^src\/catalogue\/.*\.jsonl?$/, ['services']],
  [/^src\/cli\//, ['test/unit/cli/']],
  [/^src\/dashboard\//, ['test/api/dashboard/']],
  // The registry reads this folder, so that no import leads to its files.
  [/^src\/providers\/openai-compatible\//, ['test/unit/providers/openai-compatible/']],
  [/^src\/providers\//, ['test/unit/providers/bridge/packages.test.ts', 'test/unit/providers/declarations.test.ts']],
  [/^test\/run\.mjs$/, ['test/unit/harness/run.test.ts']],
  // Rules about the test files.
  [/^test\/.*\.test\.ts$/, ['test/unit/harness/lanes.test.ts', 'test/unit/harness/missing-tools.test.ts']],
  [/^test\/services\/.*\.test\.ts$/, ['test/services/databases.test.ts']],
  [/^test\/soak\/.*\.ts$/, ['test/unit/harness/soak-databases.test.ts']],
  [
    /^test\/api\/(graphql\/sign-up-by-mail|rest\/(external-sign-in|sign-up-spending|stripe))\.test\.ts$/,
    ['test/api/graphql/audit.test.ts'],
  ],
];

/** @param path relative to the repository */
export function readersOf(path: string): Readers {
  const entries = fileReaders.filter(([pattern]) => pattern.test(path));
  if (entries.length === 0) return /\.(ts|tsx|mjs)$/.test(path) ? [] : ['unit'];
  return entries.flatMap(([, readers]) => readers);
}
