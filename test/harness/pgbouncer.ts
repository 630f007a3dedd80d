import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { unprivileged } from './postgres.ts';
import { ProcessOutput } from './process-output.ts';
import { pgBouncerPath } from './tool-paths.ts';

export interface RunningPooler {
  /** The address of a database of the server behind it. */
  urlOf(database: string): string;
  stop(): Promise<void>;
}

/**
 * PgBouncer in transaction mode, with its defaults: it refuses parameters of a session, and statements that are prepared by name fail
 * on the next connection.
 * @param adminUrl of the server behind it @param connections to each of its databases
 */
export async function startPgBouncer(adminUrl: string, connections: number): Promise<RunningPooler> {
  if (pgBouncerPath === null) throw new Error('PgBouncer is not installed.');
  const { hostname, port: serverPort, username, password } = new URL(adminUrl);
  const folder = mkdtempSync(join(tmpdir(), 'sluice-pgbouncer-'));
  const user = unprivileged();
  if (user) chownSync(folder, user.uid, user.gid);
  const port = await freePort();
  const login = `user=${decodeURIComponent(username)}${password === '' ? '' : ` password=${decodeURIComponent(password)}`}`;
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${serverPort || '5432'} ${login}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 500
`,
  );
  const bouncer = spawn(pgBouncerPath, [file], { cwd: folder, ...user, stdio: ['ignore', 'pipe', 'pipe'] });
  await new ProcessOutput(bouncer).whenStarted('PgBouncer', (text) => text.includes('process up') || null);
  return {
    urlOf: (database) => `postgresql://sluice@127.0.0.1:${port}/${database}`,
    stop: async () => {
      const gone = once(bouncer, 'exit');
      bouncer.kill('SIGTERM');
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
