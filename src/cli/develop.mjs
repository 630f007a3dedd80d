// `npm run dev`: builds and restarts the server whenever a source file or a migration changes, until it is told to stop.
// Watches by itself: the compiler's own watch mode overwrites files while a server may still be loading them.
import { spawn, spawnSync } from 'node:child_process';
import { watch } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
/** Editors save in several steps, and formatters follow them. */
const SETTLE_MS = 150;

/** The server that runs, with its end; null between two and after a build that failed. */
let running = null;
let wanted = true;
let turn = Promise.resolve();
let pending;
let isServerChanged = false;

watch(join(root, 'src'), { recursive: true }, (_event, path) => {
  // The server reads its pages as it sends them: they are built anew beside it.
  changed(!path?.startsWith(join('dashboard', sep)));
});
// The server applies new ones when it starts.
watch(join(root, 'migrations'), () => changed(true));
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    wanted = false;
    void stop().then(() => process.exit(0));
  });
turn = turn.then(restart);

function changed(isServer) {
  isServerChanged ||= isServer;
  clearTimeout(pending);
  pending = setTimeout(() => {
    turn = turn.then(isServerChanged ? restart : prepare);
    isServerChanged = false;
  }, SETTLE_MS);
}

function prepare() {
  return spawnSync(process.execPath, [join(root, 'src', 'cli', 'prepare.mjs')], { cwd: root, stdio: 'inherit' });
}

async function restart() {
  if (prepare().status !== 0 || !wanted) return;
  await stop();
  if (!wanted) return;
  const server = spawn(process.execPath, [join(root, 'dist', 'main.js'), ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  running = { server, ended };
  void ended.then((code) => {
    if (running?.server === server) running = null;
    if (code) process.stderr.write(`The server ended with ${code}; it starts again with the next change.\n`);
  });
}

async function stop() {
  if (running === null) return;
  // A second signal is for the impatient: the server ends what is open at its own pace after the first.
  running.server.kill('SIGTERM');
  await running.ended;
}
