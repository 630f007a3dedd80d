/**
 * `npm run test:changed`: runs the tests that a change reaches. For the unit and services lanes vitest follows the
 * imports; the other lanes start the built product, so that a recorded map says which of their files reach a source.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { selectTests } from './coverage/select-tests.ts';

const usage = `Usage: npm run test:changed [-- <ref>]

Runs the tests that the changes since a commit reach; HEAD where absent, so that what is not committed is tested.
A source that the map of the api and browser lanes does not know runs those lanes whole. To record the map anew:
npm run test:coverage.
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
const selection = selectTests(changedFiles(ref), map);
const runs = [
  selection.related.length > 0 && ['related', '--run', '--project=unit', '--project=services', ...selection.related],
  ...selection.lanes.map((lane) => ['run', `--project=${lane}`]),
  selection.files.length > 0 && ['run', ...selection.files],
].filter((each) => each !== false);
if (runs.length === 0) process.stdout.write(`Nothing that a test reaches has changed since ${ref}.\n`);
let status = 0;
for (const run of runs) {
  const vitest = ['node_modules/vitest/vitest.mjs', ...run, '--passWithNoTests'];
  status = Math.max(status, spawnSync(process.execPath, vitest, { cwd: root, stdio: 'inherit' }).status ?? 1);
}
process.exit(status);

/** Relative to the repository; those removed are left out. */
function changedFiles(since: string): string[] {
  const git = (...args: string[]): string[] =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
  const changed = git('diff', '--name-only', '--relative', since);
  const added = git('ls-files', '--others', '--exclude-standard');
  return [...new Set([...changed, ...added])].filter((path) => existsSync(new URL(`../${path}`, import.meta.url)));
}
