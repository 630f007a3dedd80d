import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/database/database.ts';
import { FolderInUseError, lockFolder } from '../../../src/database/embedded/folder-lock.ts';
import { startEmbeddedServer } from '../../../src/database/embedded/embedded-server.ts';
import { temporaryDataDir } from '../../harness/databases.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function dataDirOf(content: 'migrated' | 'empty'): Promise<string> {
  const { options, remove } = await temporaryDataDir(content);
  cleanups.push(remove);
  return options.dataDir;
}

interface Holder {
  readonly process: ChildProcess;
  readonly lines: AsyncIterator<string>;
}

function holdInAnotherProcess(dataDir: string): Holder {
  const script = fileURLToPath(new URL('hold-folder.ts', import.meta.url));
  const child = spawn(process.execPath, [script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  cleanups.push(() => child.kill('SIGKILL'));
  return { process: child, lines: createInterface(child.stdout)[Symbol.asyncIterator]() };
}

async function nextLine({ lines }: Holder): Promise<string> {
  const { value, done } = await lines.next();
  if (done === true) throw new Error('The process ended without a word.');
  return value;
}

describe('a data folder', () => {
  test('is refused to a second process while the first lives', async () => {
    const dataDir = await dataDirOf('migrated');
    const first = holdInAnotherProcess(dataDir);
    expect(await nextLine(first)).toBe('open');

    const error = await openDatabase({ dataDir }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(FolderInUseError);
    expect(String(error)).toContain(`process ${String(first.process.pid)} holds`);
    expect(await nextLine(holdInAnotherProcess(dataDir))).toContain('FolderInUseError: The data folder is in use');
  });

  test('is refused to the same process a second time, and free after it is closed', async () => {
    const dataDir = await dataDirOf('migrated');
    const first = await openDatabase({ dataDir });
    cleanups.push(() => first.close());
    await expect(openDatabase({ dataDir })).rejects.toThrow('this very process');
    await first.ping();
    await first.close();
    await first.close();
    const second = await openDatabase({ dataDir });
    cleanups.push(() => second.close());
    await second.ping();
    await second.close();
    expect(existsSync(join(dataDir, 'database.lock'))).toBe(false);
  });

  test('keeps every acknowledged row through kill -9, and is taken over at once', async () => {
    const dataDir = await dataDirOf('migrated');
    for (let round = 1; round <= 3; round += 1) {
      const holder = holdInAnotherProcess(dataDir);
      expect(await nextLine(holder)).toBe('open');
      let acknowledged = 0;
      while (acknowledged < 50 * round) acknowledged = Number(await nextLine(holder));
      const gone = once(holder.process, 'exit');
      holder.process.kill('SIGKILL');
      // What was in the pipe when it died had been acknowledged too.
      for (let line = await holder.lines.next(); line.done !== true; line = await holder.lines.next())
        acknowledged = Number(line.value);
      await gone;

      const database = await openDatabase({ dataDir });
      const rows = await database.query<{ number: number }>('select number from acknowledged order by number');
      expect(rows.slice(0, acknowledged).map(({ number }) => number)).toEqual(
        Array.from({ length: acknowledged }, (_, index) => index + 1),
      );
      await database.query('truncate acknowledged');
      await database.close();
    }
  });

  test.each(['database/PG_VERSION', 'database/pg_wal/000000010000000000000001'])(
    'recovers from kill -9 during the creation of its database, when it has %s',
    async (path) => {
      const dataDir = await dataDirOf('empty');
      const holder = holdInAnotherProcess(dataDir);
      while (!existsSync(join(dataDir, path))) await setImmediate();
      const gone = once(holder.process, 'exit');
      holder.process.kill('SIGKILL');
      await gone;

      const database = await openDatabase({ dataDir });
      cleanups.push(() => database.close());
      await database.migrate();
      expect(existsSync(join(dataDir, 'database.creating'))).toBe(false);
    },
  );

  test('gets a new database only where the creation of the present one has not ended', async () => {
    const dataDir = await dataDirOf('empty');
    await mkdir(join(dataDir, 'database'));
    await writeFile(join(dataDir, 'database', 'PG_VERSION'), '18\n');
    await expect(openDatabase({ dataDir })).rejects.toThrow('could not be opened');
    expect(await readdir(join(dataDir, 'database'))).toContain('PG_VERSION');
    expect(existsSync(join(dataDir, 'database', 'base'))).toBe(false);

    const { ino, birthtimeNs } = await stat(join(dataDir, 'database'), { bigint: true });
    await writeFile(join(dataDir, 'database.creating'), `${ino} ${birthtimeNs}`);
    const database = await openDatabase({ dataDir });
    cleanups.push(() => database.close());
    await database.ping();
  });

  test('keeps a database that was put in the place of an incomplete one, also where its folder has the same number', async () => {
    const dataDir = await dataDirOf('migrated');
    const { ino, birthtimeNs } = await stat(join(dataDir, 'database'), { bigint: true });
    await writeFile(join(dataDir, 'database.creating'), `${ino} ${birthtimeNs - 1n}`);
    const database = await openDatabase({ dataDir });
    cleanups.push(() => database.close());
    await database.query('select count(*) from accounts');
    expect(existsSync(join(dataDir, 'database.creating'))).toBe(false);
  });

  test('keeps the files of a database without its version, at each start', async () => {
    const dataDir = await dataDirOf('empty');
    await mkdir(join(dataDir, 'database', 'base'), { recursive: true });
    await writeFile(join(dataDir, 'database', 'base', 'table'), 'rows');
    for (let start = 1; start <= 2; start++)
      await expect(openDatabase({ dataDir })).rejects.toThrow('has files, but no database');
    expect(await readFile(join(dataDir, 'database', 'base', 'table'), 'utf8')).toBe('rows');
  });

  test('may have a path too long for a socket', async () => {
    const deep = join(await dataDirOf('empty'), 'a'.repeat(100));
    const database = await openDatabase({ dataDir: deep });
    cleanups.push(() => database.close());
    await database.migrate();
    await database.ping();
  });

  test('and its socket are closed to other users', async () => {
    const dataDir = join(await dataDirOf('empty'), 'data');
    const server = await startEmbeddedServer(dataDir);
    cleanups.push(() => server.close());
    expect((await stat(dataDir)).mode & 0o077).toBe(0);
    expect((await stat(server.socketFolder)).mode & 0o077).toBe(0);
    expect((await stat(join(server.socketFolder, '.s.PGSQL.5432'))).mode & 0o077).toBe(0);
  });
});

describe('a lock', () => {
  test.each([
    ['that is no lock at all', () => 'not json'],
    ['of a pid that now belongs to a later process', (own: object) => JSON.stringify({ ...own, startedAt: 'earlier' })],
    ['of a pid that nobody has', (own: object) => JSON.stringify({ ...own, pid: 2 ** 22 + 1 })],
  ])('%s is taken over, by exactly one of many', async (_what, stale) => {
    const path = await lockPath();
    await writeFile(path, stale(await contentOfOwnLock(path)));
    const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => lockFolder(path)));
    const locks = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    expect(locks).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(FolderInUseError);
    await locks[0]?.value.release();
    expect(await readdir(join(path, '..'))).toEqual([]);
  });

  test('of another container is respected while that one touches it, and taken over when it is silent', async () => {
    const path = await lockPath();
    const foreign = JSON.stringify({ ...(await contentOfOwnLock(path)), realm: 'another container', pid: 1 });
    await writeFile(path, foreign);
    let beats = 0;
    const heart = setInterval(() => void utimes(path, new Date(), new Date((beats += 1) * 1_000)), 500);
    await expect(lockFolder(path)).rejects.toThrow(FolderInUseError);
    clearInterval(heart);
    const lock = await lockFolder(path);
    expect(await readFile(path, 'utf8')).not.toBe(foreign);
    await lock.release();
  });
});

async function lockPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-lock-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'database.lock');
}

async function contentOfOwnLock(path: string): Promise<Record<string, unknown>> {
  const lock = await lockFolder(path);
  const content: Record<string, unknown> = JSON.parse(await readFile(path, 'utf8'));
  await lock.release();
  return content;
}
