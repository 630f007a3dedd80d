import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

export type TestRun =
  | { readonly outcome: 'passed' | 'timeout' }
  | { readonly outcome: 'failed'; readonly by: string }
  | { readonly outcome: 'error'; readonly detail: string };

export interface TestRunOptions {
  readonly tree: string;
  /** Test files, or `--project` and its name. */
  readonly args: readonly string[];
  readonly withinMs: number;
  readonly signal: AbortSignal;
}

interface JsonReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** How long a run that is told to end may take to stop the servers it started. */
const GRACE_MS = 15_000;
const MAX_OUTPUT_CHARACTERS = 20_000;

/** Runs vitest until the first failure. */
export async function runTests({ tree, args, withinMs, signal }: TestRunOptions): Promise<TestRun> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-fault-run-'));
  const report = join(folder, 'report.json');
  try {
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--bail=1', '--reporter=json', `--outputFile=${report}`];
    const { code, output, isStopped } = await runGroup([...vitest, ...args], tree, withinMs, signal);
    signal.throwIfAborted();
    if (isStopped) return { outcome: 'timeout' };
    if (code === 0) return { outcome: 'passed' };
    return readFailure(report, tree) ?? { outcome: 'error', detail: output.trim().slice(-2_000) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs Node in a process group of its own, and ends the whole group when the time is over. */
async function runGroup(
  args: readonly string[],
  cwd: string,
  withinMs: number,
  signal: AbortSignal,
): Promise<{ code: number | null; output: string; isStopped: boolean }> {
  const child = spawn(process.execPath, args, { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const { pid } = child;
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-MAX_OUTPUT_CHARACTERS);
    });
  let isStopped = false;
  let killing: NodeJS.Timeout | undefined;
  const stop = (): void => {
    if (isStopped) return;
    isStopped = true;
    signalGroup(pid, 'SIGTERM');
    killing = setTimeout(() => signalGroup(pid, 'SIGKILL'), GRACE_MS);
  };
  const timer = setTimeout(stop, withinMs);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('exit', resolve).once('error', reject);
    });
    return { code, output, isStopped };
  } finally {
    clearTimeout(timer);
    clearTimeout(killing);
    signal.removeEventListener('abort', stop);
    // Servers that outlive their tests would answer those of the next fault.
    signalGroup(pid, 'SIGKILL');
  }
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // No process is left in the group.
  }
}

/** Null where no test failed: then vitest itself did, or what it prepares. */
function readFailure(report: string, tree: string): TestRun | null {
  let results: JsonReport['testResults'];
  try {
    results = (JSON.parse(readFileSync(report, 'utf8')) as JsonReport).testResults;
  } catch {
    return null;
  }
  for (const { name, assertionResults } of results) {
    const failed = assertionResults.find(({ status }) => status === 'failed');
    if (failed) return { outcome: 'failed', by: `${relative(tree, name)} > ${failed.fullName}` };
  }
  const broken = results.find(({ status }) => status === 'failed');
  if (broken) return { outcome: 'failed', by: `${relative(tree, broken.name)} > (file) ${firstLine(broken.message)}` };
  // Every test passed, and an error that none of them caught failed the run.
  return results.length > 0 ? { outcome: 'failed', by: `${namesOf(results, tree)} > (unhandled error)` } : null;
}

function firstLine(message: string): string {
  return (message.split('\n')[0] ?? '').slice(0, 200);
}

function namesOf(results: JsonReport['testResults'], tree: string): string {
  const names = results.map(({ name }) => relative(tree, name));
  return names.length === 1 ? names.join('') : `${names.length} files from ${names[0]}`;
}
