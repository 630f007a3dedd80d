import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { ProcessOutput } from './process-output.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** The user of the image. */
const USER = 1000;

/** Whether programs run as in a container, which needs root: otherwise as a child on the root file system of this machine. */
export const isContained =
  process.getuid?.() === 0 && spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']).status === 0;
const runContained = fileURLToPath(new URL('./run-contained.sh', import.meta.url));
/** Of the root file system, beside those of the image. */
const MOUNT_POINTS = ['usr', 'dev', 'proc'];
/** Debian has them within `usr`. */
const LINKS = ['bin', 'lib', 'lib64'];

/** The tree of the image with Node, as its root file system has them: not writable for the user of the server. */
export interface ImageTree {
  /** What the measurement of the layers printed. */
  readonly report: string;
  readonly app: string;
  /** A volume of its own for that user. */
  volume(): string;
  /** A file that this user can read, as secrets are mounted. */
  readonly folder: string;
  /** Paths and modification times. */
  files(): string[];
  /** Runs `sluice` to its end. */
  run(env: Environment, ...args: string[]): Promise<{ code: number | null; output: string }>;
  /** Runs the health check. @returns its exit code */
  checkHealth(port: string): number | null;
  start(env: Environment): Promise<Container>;
  remove(): void;
}

export interface Container {
  readonly url: string;
  /** Of the server, as this machine numbers it. */
  readonly pid: number;
  readonly startMs: number;
  output(): string;
  /** @returns the exit code */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

type Environment = Readonly<Record<string, string>>;

export function assembleImage(): ImageTree {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-image-'));
  const made = spawnSync(process.execPath, [join(root, 'deploy/image/assemble.mjs'), folder], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(made.stderr);
  // The checkout may be where this user cannot read.
  const node = join(folder, 'node');
  cpSync(process.execPath, node);
  const work = join(folder, 'etc');
  mkdirSync(work);
  for (const name of MOUNT_POINTS) mkdirSync(join(folder, name));
  for (const name of LINKS) if (existsSync(`/${name}`)) symlinkSync(`usr/${name}`, join(folder, name));
  // Folders and files of a temporary folder belong to its maker alone.
  spawnSync('chmod', ['-R', 'a+rX,a-w', folder]);
  spawnSync('chmod', ['u+w', folder]);
  const app = join(folder, 'app');
  const isRoot = process.getuid?.() === 0;
  const options = (env: Environment) => ({
    cwd: work,
    // Nothing else of this process's environment, and no temporary folder.
    env: { PATH: '/usr/bin:/bin', HOST: '127.0.0.1', PORT: '0', TMPDIR: '/nonexistent', ...env },
    ...(isRoot && { uid: USER, gid: USER }),
  });
  const command = join(app, 'dist/cli/sluice.js');
  const inside = (path: string): string => (path.startsWith(folder) ? path.slice(folder.length) : path);
  const sluice = (env: Environment, ...args: string[]) => {
    if (!isContained) return spawn(node, [command, ...args], options(env));
    const paths = Object.entries(options(env).env).map(([name, value]) => [name, inside(value)]);
    const program = [inside(node), inside(command), ...args];
    const contained = [
      '--mount',
      '--pid',
      '--fork',
      '--kill-child',
      'sh',
      runContained,
      folder,
      `${USER}`,
      inside(work),
    ];
    return spawn('unshare', [...contained, ...program], { env: Object.fromEntries(paths) });
  };
  return {
    report: made.stdout,
    app,
    folder,
    volume() {
      const volume = mkdtempSync(join(folder, 'volume-'));
      if (isRoot) chownSync(volume, USER, USER);
      return join(volume, 'sluice');
    },
    files: () =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => !path.startsWith('volume-'))
        .map((path) => `${path} ${lstatSync(join(folder, path)).mtimeMs}`),
    async run(env, ...args) {
      const child = sluice(env, ...args);
      const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
      return { code, output: `${out}${err}` };
    },
    checkHealth: (port) => spawnSync(node, [join(app, 'healthcheck.mjs')], options({ PORT: port })).status,
    async start(env) {
      const began = performance.now();
      const child = sluice(env, 'serve');
      const kill = (): void => void child.kill('SIGKILL');
      process.once('exit', kill);
      const exited = once(child, 'exit').then(([code]) => {
        process.off('exit', kill);
        return code;
      });
      const output = new ProcessOutput(child);
      const url = await output.whenStarted('the image', (printed) => /ready at (http\S+)/.exec(printed)?.[1] ?? null);
      const startMs = performance.now() - began;
      const pid = isContained ? childOf(child.pid ?? 0) : (child.pid ?? 0);
      let hasExited = false;
      void exited.then(() => (hasExited = true));
      return {
        url,
        pid,
        startMs,
        output: () => output.text,
        end(signal) {
          if (!hasExited) process.kill(pid, signal);
          return exited;
        },
      };
    },
    remove: () => {
      spawnSync('chmod', ['-R', 'u+w', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** `unshare` passes no signals on. */
function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
}
