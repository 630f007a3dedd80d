import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ProcessOutput } from './process-output.ts';
import type { FirstOwner } from './product-template.ts';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** A start that never ends leaves no server behind. */
const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** The built server as a process of its own, on a port that the system chose. */
export interface LaunchedServer extends FirstOwner {
  readonly url: string;
  readonly pid: number;
  /** All that it printed. */
  output(): string;
  /** Sends a signal and waits for the end. @returns the exit code; null where the signal ended it */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export interface LaunchOptions {
  /** That of another release, where it is not this one. */
  readonly program?: string;
  /** The hard limit of file descriptors; that of the tests where absent. */
  readonly openFiles?: number | undefined;
  /** Options of V8, such as those that have it print what it does. */
  readonly v8?: readonly string[];
}

/**
 * Starts it on a data folder and waits until it serves.
 * @param owner of the folder; null where this is the first start, which prints them
 */
export async function launchServer(
  dataDir: string,
  env: Readonly<Record<string, string>>,
  owner: FirstOwner | null,
  { program = main, openFiles, v8 = [] }: LaunchOptions = {},
): Promise<LaunchedServer> {
  const [file, ...args] = limited([process.execPath, ...v8, program], openFiles);
  const child = spawn(file, args, {
    cwd: dataDir,
    env: { ...processEnvironment(), SLUICE_DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...env },
  });
  running.add(child);
  const output = new ProcessOutput(child);
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  void exited.then(() => running.delete(child));
  const url = await output.whenStarted('the server', (text) => {
    const ready = /ready at (http\S+)[\s\S]*\n\n?$/.exec(text)?.[1] ?? null;
    return owner !== null || text.includes('curl ') ? ready : null;
  });
  const printed = (pattern: RegExp): string => pattern.exec(output.text)?.[1] ?? '';
  return {
    url,
    pid: child.pid ?? 0,
    apiKey: owner?.apiKey ?? printed(/API key:\s+(\S+)/),
    email: owner?.email ?? printed(/Owner account:\s+(\S+)/),
    password: owner?.password ?? printed(/Password:\s+(\S+)/),
    output: () => output.text,
    end: (signal) => {
      child.kill(signal);
      return exited;
    },
  };
}

/** A command with a limit of open files, where one is given. */
function limited(command: [string, ...string[]], openFiles: number | undefined): [string, ...string[]] {
  return openFiles === undefined ? command : ['sh', '-c', `ulimit -n ${openFiles} && exec "$0" "$@"`, ...command];
}

/** Starts it where it is expected not to start. @returns what it printed, and its exit code */
export async function launchFailing(
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  // Both streams into one pipe, which keeps their order.
  const child = spawn('sh', ['-c', 'exec "$0" "$1" 2>&1', process.execPath, main], {
    env: { ...processEnvironment(), ...env },
  });
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
  const [code] = await once(child, 'close');
  return { code, output };
}

/** What every process of the product needs, and nothing else of this one's environment. */
function processEnvironment(): Record<string, string> {
  const { PATH = '', NODE_V8_COVERAGE } = process.env;
  // Code that was compiled before would blur what coverage counts.
  return { PATH, PORT: '0', ...(NODE_V8_COVERAGE && { NODE_V8_COVERAGE, NODE_DISABLE_COMPILE_CACHE: '1' }) };
}
