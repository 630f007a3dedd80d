// `npm run dev`: builds and restarts the server whenever a source file or a migration changes, until it receives a signal.
// The compiler's watch mode is not used: it overwrites files while a server may still be loading them.
import { spawn, spawnSync } from 'node:child_process';
import { watch } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
/** Editors and formatters may write a file several times per save. */
const SETTLE_MS = 150;

/** The running server and the promise of its exit; null between two servers and after a failed build. */
let running = null;
let wanted = true;
let turn = Promise.resolve();
let pending;
let isServerChanged = false;

watch(join(root, 'src'), { recursive: true }, (_event, path) => {
  // The server reads dashboard pages from disk per request: rebuilding them needs no restart.
  changed(!path?.startsWith(join('dashboard', sep)));
});
// The server applies new migrations when it starts.
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
    if (code) process.stderr.write(`The server exited with code ${code}. It restarts after the next change.\n`);
  });
}

async function stop() {
  if (running === null) return;
  // One signal only: after a second one the server would exit without draining open requests.
  running.server.kill('SIGTERM');
  await running.ended;
}
