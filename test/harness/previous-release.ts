import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** A checkout may belong to another user than the one that tests. */
const inCheckout = ['-c', `safe.directory=${root.replace(/\/$/, '')}`, '-C', root];

/** The release before this one: its processes may run while the database has the schema of this one. */
export const previousRelease: { readonly commit: string; readonly lastMigration: string } = JSON.parse(
  readFileSync(new URL('../fixtures/migrations/previous-release.json', import.meta.url), 'utf8'),
);

export interface BuiltRelease {
  /** Starts the server. */
  readonly main: string;
  remove(): void;
}

/** Whether this checkout has its sources: an archive of the sources, or a shallow clone, has not. */
export function hasPreviousRelease(): boolean {
  return git('cat-file', '-e', `${previousRelease.commit}^{commit}`).status === 0;
}

/** Whether this checkout has the history of all commits. */
export function hasHistory(): boolean {
  return git('rev-parse', '--is-shallow-repository').stdout.trim() === 'false';
}

/** Compiles its server with the packages of this checkout, which have all of its own. */
export function buildPreviousRelease(): BuiltRelease {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-previous-'));
  const archive = join(folder, 'sources.tar');
  run('git', ...inCheckout, 'archive', `--output=${archive}`, previousRelease.commit);
  run('tar', '-xf', archive, '-C', folder);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  // Types were checked when it was released.
  const compiler = [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '--noCheck', '-p'];
  run(process.execPath, ...compiler, folder);
  run(process.execPath, ...compiler, join(folder, 'migrations'));
  const snapshot = join('catalogue', 'snapshot.jsonl');
  cpSync(join(folder, 'src', snapshot), join(folder, 'dist', snapshot));
  return { main: join(folder, 'dist', 'main.js'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function git(...args: string[]) {
  return spawnSync('git', [...inCheckout, ...args], { encoding: 'utf8' });
}

function run(command: string, ...args: string[]): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}:\n${stdout}${stderr}`, { cause: error });
}
