import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { ProcessOutput } from './process-output.ts';

const installations = '/usr/lib/postgresql';

/** Where Debian's packages put the server's programs: the newest version's. */
export function postgresBinaries(): string | null {
  if (!existsSync(installations)) return null;
  const versions = readdirSync(installations).sort((a, b) => Number(b) - Number(a));
  return (
    versions.map((version) => join(installations, version, 'bin')).find((bin) => existsSync(join(bin, 'postgres'))) ??
    null
  );
}

/** Where tests find server PostgreSQL, or why they do not. */
export function serverPostgres(): 'given' | 'installed' | 'missing' {
  if (process.env.TEST_DATABASE_URL) return 'given';
  return postgresBinaries() === null ? 'missing' : 'installed';
}

export interface RunningPostgres {
  /** Of its maintenance database. */
  readonly url: string;
  readonly port: number;
  /** Of the server process, whose children serve the connections. */
  readonly pid: number;
  /** Clients are cut off, as in a crash of the machine. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A server of its own in `folder`, on a free port of this machine. Fast, not durable.
 * @param own settings that it shall have instead of the usual ones of tests
 * @param primary of which it is a streaming replica
 */
export async function startPostgres(
  folder: string,
  own: Readonly<Record<string, string>> = {},
  primary: RunningPostgres | null = null,
): Promise<RunningPostgres> {
  const bin = postgresBinaries();
  if (bin === null) throw new Error(`No PostgreSQL server is installed under ${installations}.`);
  const user = unprivileged();
  const data = join(folder, 'data');
  mkdirSync(folder, { recursive: true });
  if (user) {
    chownSync(folder, user.uid, user.gid);
    chmodSync(folder, 0o700);
  }
  const options = { cwd: folder, ...user };
  const [program, args] =
    primary === null
      ? ['initdb', ['-D', data, '-U', 'sluice', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C']]
      : ['pg_basebackup', ['-D', data, '-d', primary.url, '--checkpoint=fast', '--no-sync', '--write-recovery-conf']];
  const made = spawn(join(bin, program), args, { ...options, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(made, 'exit');
  if (code !== 0) throw new Error(`${program} ended with ${String(code)}.`);

  const port = await freePort();
  let server = await launch();

  function launch(): Promise<ChildProcess> {
    return listening(
      spawn(join(bin ?? '', 'postgres'), ['-D', data, ...settings(port, own)], {
        ...options,
        stdio: ['ignore', 'ignore', 'pipe'],
      }),
    );
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    server.kill(signal);
    await gone;
  }

  return {
    url: `postgresql://sluice@127.0.0.1:${port}/postgres`,
    port,
    get pid() {
      return server.pid ?? 0;
    },
    // SIGQUIT ends the children too and recovers at the next start; SIGKILL would leave them their sockets.
    kill: () => end('SIGQUIT'),
    start: async () => {
      server = await launch();
    },
    stop: () => end('SIGINT'),
  };
}

function settings(port: number, own: Readonly<Record<string, string>>): string[] {
  const values = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    full_page_writes: 'off',
    shared_buffers: '32MB',
    max_connections: 100,
    autovacuum: 'off',
    // Its log is the only sign of readiness; errors of statements stay out of it.
    log_min_messages: 'log',
    // Anything but UTC, so that a test sees where the session's zone leaks into a result.
    timezone: 'Asia/Kolkata',
    ...own,
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function listening(server: ChildProcess): Promise<ChildProcess> {
  await new ProcessOutput(server).whenStarted(
    'PostgreSQL',
    (text) => /ready to accept (?:read-only )?connections/.test(text) || null,
  );
  return server;
}

/** PostgreSQL refuses to run as root. */
export function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  if (user === undefined) throw new Error('PostgreSQL refuses root, and there is no user `postgres` or `nobody`.');
  return { uid: Number(user[2]), gid: Number(user[3]) };
}
