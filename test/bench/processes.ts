import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { ProcessOutput } from '../harness/process-output.ts';

/** Of Linux: the unit of CPU times in /proc. */
const TICKS_PER_SECOND = 100;
const PAGE_KB = 4;

export interface Started {
  readonly process: ChildProcess;
  readonly pid: number;
  output(): string;
  stop(): Promise<void>;
}

/** Starts a program of this Node and waits until its output matches. */
export function start(
  args: readonly string[],
  ready: RegExp,
  env: Record<string, string> = {},
  cwd?: string,
): Promise<Started> {
  return startProgram(process.execPath, args, ready, env, cwd);
}

/** Starts any program and waits until its output matches. */
export async function startProgram(
  program: string,
  args: readonly string[],
  ready: RegExp,
  env: Record<string, string> = {},
  cwd?: string,
): Promise<Started> {
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = new ProcessOutput(child);
  await output.whenStarted([program, ...args].join(' '), (text) => ready.test(text) || null);
  return {
    process: child,
    pid: child.pid ?? 0,
    output: () => output.text,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
        setTimeout(() => child.kill('SIGKILL'), 8_000).unref();
      }),
  };
}

/** CPU that a process and all its descendants have used, in microseconds. */
export function cpuMicroseconds(pid: number): number {
  return family(pid).reduce((sum, each) => sum + cpuOf(each), 0);
}

/**
 * Has what is measured run on one core, and all the rest on the others: cores of one machine are not equally fast when it has
 * other work, and a process that wanders between them is measured by its luck. Does nothing without Linux' `taskset`.
 */
export function keepApart(measured: readonly number[]): void {
  const others = `1-${cpus().length - 1}`;
  try {
    const measuredTrees = new Set(measured.flatMap(family));
    for (const pid of family(process.pid)) if (!measuredTrees.has(pid)) bind(pid, others);
    for (const pid of measuredTrees) bind(pid, '0');
  } catch {
    process.stderr.write('Processes cannot be bound to cores here: figures will vary more.\n');
  }
}

/** @param cores as `taskset` lists them */
export function bind(pid: number, cores: string): void {
  execFileSync('taskset', ['-a', '-c', '-p', cores, String(pid)], { stdio: 'ignore' });
}

/** Resident memory of a process and its descendants, in kB. */
export function residentKb(pid: number): number {
  return family(pid).reduce(
    (sum, each) => sum + Number(readFileSync(`/proc/${each}/statm`, 'utf8').split(' ')[1]) * PAGE_KB,
    0,
  );
}

/** Of a process without its descendants. In `stat` the kernel rounds to 10 ms, several per cent of a round: running threads are read in nanoseconds, ended children in ticks. */
export function cpuOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`).reduce(
    (sum, thread) => sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1_000,
    0,
  );
  // After the name in brackets: state is field 3, cutime and cstime are 16 and 17.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const children = Number(fields[13]) + Number(fields[14]);
  return threads + (children * 1_000_000) / TICKS_PER_SECOND;
}

function family(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(family)];
}

export function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}
