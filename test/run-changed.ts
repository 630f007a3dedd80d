/**
 * `npm run test:changed`: runs the tests that a change reaches. For the unit and services lanes vitest follows the
 * imports; the other lanes start the built product, so that a recorded map says which of their files reach a source.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { selectionNotes } from './coverage/selection-notes.ts';
import { selectTests } from './coverage/select-tests.ts';

const usage = `Usage: npm run test:changed [-- <ref>]

Runs the tests that the changes since a commit reach; HEAD where absent, so that what is not committed is tested.
A source that the map of the api and browser lanes does not contain runs those lanes whole, and a test file of theirs
that it does not contain runs with every change of the sources. To record the map again: npm run test:coverage.
Tests of the soak and promises lanes are not run. Those that changed are listed.
`;

const root = fileURLToPath(new URL('..', import.meta.url));
const [ref = 'HEAD'] = process.argv.slice(2);
if (ref === '--help') {
  process.stdout.write(usage);
  process.exit(0);
}

const map = z
  .record(z.string(), z.array(z.string()))
  .parse(JSON.parse(readFileSync(new URL('coverage/map.json', import.meta.url), 'utf8')));
const testFiles = globSync('test/{api,browser}/**/*.test.ts', { cwd: root }).map((path) => path.replaceAll('\\', '/'));
const selection = selectTests(changedFiles(ref), map, testFiles);
const runs = [
  selection.related.length > 0 && [
    'related',
    '--run',
    ...selection.relatedLanes.map((lane) => `--project=${lane}`),
    ...selection.related,
  ],
  selection.lanes.length > 0 && ['run', ...selection.lanes.map((lane) => `--project=${lane}`)],
  selection.files.length > 0 && ['run', ...selection.files],
].filter((each) => each !== false);
const notes = selectionNotes(selection);
if (runs.length === 0 && notes.length === 0)
  process.stdout.write(`Nothing that a test reaches has changed since ${ref}.\n`);
let status = 0;
for (const run of runs) {
  const vitest = ['node_modules/vitest/vitest.mjs', ...run, '--passWithNoTests'];
  status = Math.max(status, spawnSync(process.execPath, vitest, { cwd: root, stdio: 'inherit' }).status ?? 1);
}
// Last, where they are seen.
for (const note of notes) process.stdout.write(`${note}\n`);
process.exit(status);

/** Relative to the repository; also those removed, which tests may have read, but for tests. */
function changedFiles(since: string): string[] {
  const git = (...args: string[]): string[] =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
  const changed = git('diff', '--name-only', '--no-renames', '--relative', since);
  const added = git('ls-files', '--others', '--exclude-standard');
  return [...new Set([...changed, ...added])].filter(
    (path) => !path.endsWith('.test.ts') || existsSync(new URL(`../${path}`, import.meta.url)),
  );
}
