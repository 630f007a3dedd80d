// `npm test`: installs what is missing, then runs lanes with vitest. Plain JavaScript: it runs before there are packages.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const usage = `Usage:
  npm test                          the lanes unit, services, api and browser
  npm test -- <file or folder> ...  these test files, from test/ or from a lane (unit/gateway); unit tests alone
                                    neither build nor start anything
  npm run test:<lane>               one lane: unit, services, api, browser or soak
  npm run test:changed [-- <ref>]   what the changes since a commit reach; those not committed where absent
  npm run test:random               the four lanes, their files in random order
  npm run test:stress               the four lanes, with two busy loops for each core beside them
  npm run test:promises             the bounds of time that are promised, by themselves

Options of vitest may follow, such as -t <name>. SLUICE_TEST_BACKEND=server runs the product of the api and
browser lanes on server PostgreSQL and Redis.
`;

const DEFAULT_LANES = ['unit', 'services', 'api', 'browser'];
const ALL_LANES = [...DEFAULT_LANES, 'soak', 'promises'];
/** What follows is their value, though it may look like a test file: no other option has a value that does. */
const OPTIONS_WITH_TEXT = ['-t', '--testNamePattern', '--project', '--exclude', '--dir', '--root', '-r', '--mode'];
const SILENT_VALUES = ['true', 'false', 'passed-only'];
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { lanes, isStressed, rest } = parse(process.argv.slice(2));

if (rest.includes('--help') || rest.includes('-h')) {
  process.stdout.write(usage);
  process.exit(0);
}
const isFiltered = rest.some((argument) => argument.startsWith('test/'));
// A filter selects the lanes by itself, and what they need is built when a file asks for it.
const selected = lanes.length > 0 ? lanes : isFiltered ? [] : DEFAULT_LANES;
const isUnitAlone = selected.every((lane) => lane === 'unit');
prepare(isUnitAlone ? ['--packages'] : []);
const loads = isStressed ? startLoads() : [];
const node = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');
const vitest = [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run'];
const child = spawn(
  existsSync(node) ? node : process.execPath,
  [...vitest, ...selected.map((lane) => `--project=${lane}`), ...rest],
  { cwd: root, stdio: 'inherit' },
);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => {
  for (const load of loads) load.kill('SIGKILL');
  process.exit(signal === null ? code : 1);
});

function parse(given) {
  const read = { lanes: [], isStressed: false, rest: [] };
  for (let index = 0; index < given.length; index++) {
    if (given[index] === '--lane') read.lanes.push(given[++index]);
    else if (given[index] === '--stress') read.isStressed = true;
    // Vitest refuses a path after it.
    else if (given[index] === '--silent' && !SILENT_VALUES.includes(given[index + 1])) read.rest.push('--silent=true');
    else read.rest.push(fromRoot(given[index], OPTIONS_WITH_TEXT.includes(given[index - 1])));
  }
  return read;
}

/**
 * Paths of test files and folders, `unit/gateway`, `./test/unit` or absolute, as vitest's filters expect them; all else
 * as it is.
 */
function fromRoot(argument, isValue) {
  if (argument.startsWith('-') || /(?<!\.test)\.ts$/.test(argument)) return argument;
  const path = relative(root, resolve(argument)).replaceAll(sep, '/');
  if (path.startsWith('test/')) return path;
  const [first] = path.split('/');
  return !isValue && ALL_LANES.includes(first) ? `test/${path}` : argument;
}

function prepare(options) {
  const { status } = spawnSync(process.execPath, [join(root, 'src', 'cli', 'prepare.mjs'), ...options], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}

/** Two processes for each core that do nothing but take its time. They end with this one. */
function startLoads() {
  const loop =
    'process.stdin.on("end", () => process.exit()).resume(); (function turn() { const until = Date.now() + 50; while (Date.now() < until); setImmediate(turn); })()';
  const { stdout } = spawnSync(process.execPath, ['-p', 'os.availableParallelism()'], { encoding: 'utf8' });
  return Array.from({ length: 2 * Number(stdout) }, () =>
    spawn(process.execPath, ['-e', loop], { stdio: ['pipe', 'ignore', 'ignore'] }),
  );
}
