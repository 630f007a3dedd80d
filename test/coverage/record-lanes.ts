/** `npm run test:coverage`: runs the lanes with what they run recorded, and prints the table of it. */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const usage = `Usage: npm run test:coverage [-- <lane> ...]

Runs all lanes, or those named, with coverage, and prints how much of each folder of src they run. It writes
coverage/reach.json (for test/faults/run.ts) and, of all lanes, test/coverage/map.json (for npm run test:changed).
A run takes longer with it than without.
`;

const root = fileURLToPath(new URL('../..', import.meta.url));
const lanes = process.argv.slice(2);
if (lanes.includes('--help')) {
  process.stdout.write(usage);
  process.exit(0);
}
const folder = fileURLToPath(new URL('../../coverage', import.meta.url));
rmSync(folder, { recursive: true, force: true });
// Built with source maps, which an ordinary build leaves out.
for (const build of [['src/cli/prepare.mjs'], ['src/cli/build-dashboard.mjs', '--source-maps']])
  if (spawnSync(process.execPath, build, { cwd: root, stdio: 'inherit' }).status !== 0) process.exit(1);
const env = { ...process.env, SLUICE_COVERAGE: folder };
const all = ['unit', 'services', 'api', 'browser', 'soak', 'promises'];
const selected = (lanes.length > 0 ? lanes : all).flatMap((lane) => ['--lane', lane]);
const tests = spawnSync(process.execPath, ['test/run.mjs', ...selected], { cwd: root, env, stdio: 'inherit' });
const map = lanes.length > 0 ? [] : ['--map', 'test/coverage/map.json'];
const report = ['test/coverage/report.ts', folder, '--reach', `${folder}/reach.json`, ...map];
const { status } = spawnSync(process.execPath, report, { cwd: root, stdio: 'inherit' });
process.exit(tests.status || status || 0);
