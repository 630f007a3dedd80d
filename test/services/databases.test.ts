import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { oneDatabase } from './one-database.ts';

const folder = import.meta.dirname;
const files = globSync('**/*.test.ts', { cwd: folder })
  .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }))
  .filter(({ path }) => path !== 'databases.test.ts');
const listed = Object.keys(oneDatabase);
const covers = (entry: string, path: string): boolean => path === entry || path.startsWith(`${entry}/`);
const runsOnOne = ({ text }: { readonly text: string }): boolean => text.includes('describeWithDatabase(');
const runsOnBoth = ({ text }: { readonly text: string }): boolean => text.includes('describeOnEachDatabase(');

describe('a file of the services lane', () => {
  it.each(files.map((file) => [file.path, file] as const))(
    '%s runs on both databases, or has a reason',
    (path, file) => {
      expect(runsOnOne(file) || runsOnBoth(file), 'A test without a database belongs to the unit lane.').toBe(true);
      if (runsOnOne(file))
        expect(
          listed.some((entry) => covers(entry, path)),
          'one-database.ts gives no reason.',
        ).toBe(true);
    },
  );

  it.each(listed)('has a suite on one database if it is listed: %s', (entry) => {
    expect(files.filter(({ path }) => covers(entry, path)).some(runsOnOne)).toBe(true);
  });
});
