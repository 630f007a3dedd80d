// Makes a checkout ready to run: installs and builds what is missing or out of date, and nothing else.
// Plain JavaScript without dependencies: it runs before there are any, on whatever Node the system has.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const marks = join(root, 'node_modules', '.cache', 'sluice');
const installMark = join(marks, 'installed');
const buildMark = join(root, 'dist', '.built');
const lockHash = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');

if (readIfThere(installMark) !== lockHash) {
  step(
    'Installing packages (once; this takes about a minute) …',
    npm(),
    ['ci', '--no-audit', '--no-fund', '--include=dev', '--include=optional'],
    'Check the network and the registry that npm is set to, then run the same command again.',
  );
  mkdirSync(marks, { recursive: true });
  writeFileSync(installMark, lockHash);
}

const sources = fingerprint();
if (readIfThere(buildMark) !== sources) {
  // Files of an earlier build that no longer have a source must not run.
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  step(
    'Building …',
    process.execPath,
    [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', join(root, 'tsconfig.json')],
    'The errors above are in the source: mend them, then run the same command again.',
  );
  writeFileSync(buildMark, sources);
}

/** Changes when a source file comes, goes, or changes. */
function fingerprint() {
  const hash = createHash('sha256')
    .update(lockHash)
    .update(readFileSync(join(root, 'tsconfig.json')));
  const folders = [join(root, 'src')];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else {
        const { size, mtimeMs } = statSync(path);
        hash.update(`${path} ${size} ${mtimeMs}\n`);
      }
    }
  }
  return hash.digest('hex');
}

function step(title, command, args, advice) {
  process.stderr.write(`${title}\n`);
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  process.stderr.write(`${error ? `${error.message}\n` : ''}That failed. ${advice}\n`);
  process.exit(1);
}

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

function npm() {
  return process.platform === 'win32' ? 'npm.cmd' : 'npm';
}
