// Prepares a checkout to run: installs and builds only what is missing or out of date.
// Plain JavaScript without dependencies: it runs before the installation, on the system's Node.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Minimum version for the packages. A checkout installs a newer Node on platforms that have a package of it. */
const OLDEST_NODE = [22, 19];
const FIX_SOURCE = 'Fix the errors above in the source, then run the same command again.';
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const source = join(root, 'src');
const migrations = join(root, 'migrations');
const dashboard = join(source, 'dashboard');
const output = join(root, 'dist');
const dashboardOutput = join(output, 'dashboard');
const installMark = join(root, 'node_modules', '.cache', 'sluice', 'installed');
const buildMark = join(output, '.built');
const dashboardMark = join(output, '.dashboard-built');
const lock = join(root, '.preparing');
const packageLock = readFileSync(join(root, 'package-lock.json'), 'utf8');
const lockHash = createHash('sha256').update(packageLock).digest('hex');

/** `--packages` builds nothing, for tests that run the source. */
const builds = !process.argv.includes('--packages');
/** `--server` does not build the dashboard, for commands that generate its sources. */
const buildsDashboard = builds && !process.argv.includes('--server');

if (!isInstalled() || (builds && !isBuilt()) || (buildsDashboard && !isDashboardBuilt())) {
  acquireLock();
  try {
    if (!isInstalled()) install();
    // Before compiling: with an older Node the compilers fail with a less helpful message.
    checkNode();
    if (builds && !isBuilt()) build();
    if (buildsDashboard && !isDashboardBuilt()) buildDashboard();
  } finally {
    rmSync(lock, { force: true });
  }
}
checkNode();

function isInstalled() {
  return readIfThere(installMark) === lockHash;
}

function isBuilt() {
  return readIfThere(buildMark) === fingerprint(serverSources());
}

function isDashboardBuilt() {
  return readIfThere(dashboardMark) === fingerprint(dashboardSources());
}

function install() {
  if (!matchesLockFile()) {
    process.stderr.write('Installing packages (once; this takes about a minute) …\n');
    run(
      process.platform === 'win32' ? 'npm.cmd' : 'npm',
      ['ci', '--loglevel=error', '--no-audit', '--no-fund', '--include=dev', '--include=optional'],
      'Check the network and the registry that npm is set to, then run the same command again.',
    );
  }
  mkdirSync(dirname(installMark), { recursive: true });
  writeFileSync(installMark, lockHash);
}

/** Whether npm has already installed the versions of the lock file. */
function matchesLockFile() {
  const installed = readIfThere(join(root, 'node_modules', '.package-lock.json'));
  if (installed === null) return false;
  const found = JSON.parse(installed).packages;
  // Optional packages of other platforms may be absent, but no other version may be present.
  return Object.entries(JSON.parse(packageLock).packages).every(
    ([path, { version, optional }]) => path === '' || (found[path]?.version ?? (optional ? version : null)) === version,
  );
}

function build() {
  // Computed before the build: changes during the build are built the next time.
  const sources = fingerprint(serverSources());
  process.stderr.write('Building …\n');
  compile(root);
  compile(migrations);
  removeStaleOutput();
  // Data that is read at run time. Imported files are copied by the compiler.
  cpSync(join(source, 'catalogue', 'snapshot.jsonl'), join(output, 'catalogue', 'snapshot.jsonl'));
  writeFileSync(buildMark, sources);
}

/** Separate from the server, so that a change rebuilds only one of them. */
function buildDashboard() {
  const sources = fingerprint(dashboardSources());
  process.stderr.write('Building the dashboard …\n');
  run(process.execPath, [join(root, 'src', 'cli', 'build-dashboard.mjs')], FIX_SOURCE);
  writeFileSync(dashboardMark, sources);
}

function compile(project) {
  run(
    process.execPath,
    [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', join(project, 'tsconfig.json')],
    FIX_SOURCE,
  );
}

/** Files of an earlier build that no longer have a source must not run. */
function removeStaleOutput() {
  const isOfServer = (path) => !path.startsWith(dashboardOutput) && path !== dashboardMark;
  for (const path of filesOf(output).filter(isOfServer)) {
    const place = relative(output, path);
    const stem = join(place.startsWith('migrations') ? root : source, place).replace(/(\.js)?(\.map)?$/, '');
    const sources = path.endsWith('.json') ? [stem] : ['.ts', '.tsx'].map((ending) => stem + ending);
    if (!sources.some((each) => existsSync(each))) rmSync(path);
  }
}

function serverSources() {
  return [...filesOf(source).filter((path) => !isOfDashboard(path)), ...filesOf(migrations)];
}

function dashboardSources() {
  return [
    ...filesOf(dashboard),
    ...filesOf(join(root, 'docs')),
    ...['build-dashboard.mjs', 'build-guide.mjs'].map((name) => join(root, 'src', 'cli', name)),
  ];
}

function isOfDashboard(path) {
  return path.startsWith(join(dashboard, sep));
}

/** Depends only on names and content: a copy of the checkout in another folder has the same fingerprint. */
function fingerprint(paths) {
  const hash = createHash('sha256')
    .update(lockHash)
    .update(readFileSync(join(root, 'tsconfig.json')));
  for (const path of paths.sort()) {
    const content = readFileSync(path);
    hash.update(`${relative(root, path).replaceAll(sep, '/')} ${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

function filesOf(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesOf(path) : [path];
  });
}

/** Serialises commands in a checkout: `npm start` and `npm test` may run concurrently. */
function acquireLock() {
  const mine = `${lock}-${process.pid}`;
  writeFileSync(mine, String(process.pid));
  for (let waited = false; ; waited = true) {
    try {
      // Created atomically with its content.
      linkSync(mine, lock);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (!isAlive(readIfThere(lock))) rmSync(lock, { force: true });
    else if (!waited) process.stderr.write(`Waiting for another command that is preparing ${basename(root)} …\n`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
  rmSync(mine);
}

function isAlive(pid) {
  if (!pid) return false;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function checkNode() {
  // npm scripts use this one.
  if (existsSync(join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node'))) return;
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  fail(
    `Node ${process.versions.node} is too old. Install Node ${OLDEST_NODE.join('.')} or newer, then run the same command again.`,
  );
}

function run(command, args, advice) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) fail(`${error ? `${error.message}\n` : ''}The command failed. ${advice}`);
}

function fail(text) {
  rmSync(lock, { force: true });
  process.stderr.write(`${text}\n`);
  process.exit(1);
}

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
