import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

export interface ServerProcess {
  readonly url: string;
  /** Of the first owner; of the first start of this data folder. */
  readonly apiKey: string;
  readonly email: string;
  readonly password: string;
  readonly dataDir: string;
  /** All that it printed. */
  output(): string;
  /** Ends it with a signal and waits. @returns its exit code; null where the signal ended it */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** The next process on the same folder and database; this one must have ended. */
  restart(): Promise<ServerProcess>;
  /** Another process beside this one, on the same server PostgreSQL, with a data folder of its own. */
  another(): Promise<ServerProcess>;
  /** Ends it and removes its folder. */
  dispose(): Promise<void>;
}

/** Starts the built server as a process of its own, on a free port, with a data folder of its own. */
export function startServer(env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  return launch(temporaryFolder(), env, null);
}

/** The same, with a data folder of the caller's. */
export function startServerIn(dataDir: string): Promise<ServerProcess> {
  return launch(dataDir, {}, null);
}

/** Starts the built server where it is expected not to start. @returns what it said, and its exit code */
export async function startFailing(
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  // Into one pipe, which keeps the order of what it said.
  const child = spawn('sh', ['-c', 'exec "$0" "$1" 2>&1', process.execPath, main], {
    env: { PATH: process.env.PATH, PORT: '0', ...env },
  });
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'sluice-server-'));
}

async function launch(
  dataDir: string,
  env: Readonly<Record<string, string>>,
  first: ServerProcess | null,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [main], {
    cwd: dataDir,
    env: { PATH: process.env.PATH, PORT: '0', SLUICE_DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...env },
  });
  let output = '';
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const url = await new Promise<string>((resolve, reject) => {
    const read = (bytes: Buffer): void => {
      output += bytes.toString();
      const ready = /ready at (http\S+)[\s\S]*\n\n?$/.exec(output);
      if (ready?.[1] && (first !== null || output.includes('curl '))) resolve(ready[1]);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${output}`)));
  });
  const printed = (pattern: RegExp): string => pattern.exec(output)?.[1] ?? '';
  const server: ServerProcess = {
    url,
    apiKey: first?.apiKey ?? printed(/API key:\s+(\S+)/),
    email: first?.email ?? printed(/owner account:\s+(\S+)/),
    password: first?.password ?? printed(/password:\s+(\S+)/),
    dataDir,
    output: () => output,
    end: (signal) => {
      child.kill(signal);
      return exited;
    },
    restart: () => launch(dataDir, env, server),
    another: () => launch(temporaryFolder(), env, server),
    dispose: async () => {
      child.kill('SIGKILL');
      await exited;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return server;
}
