import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderInUseError, lockFolder } from '../../../src/database/embedded/folder-lock.ts';
import { ownIdentity } from '../../../src/database/embedded/process-identity.ts';

const byLiving = (): string => JSON.stringify({ token: randomUUID(), ...ownIdentity() });
const byDead = (): string => JSON.stringify({ token: randomUUID(), ...ownIdentity(), pid: spawnSync('true').pid });

describe('the folder lock', () => {
  let folder: string;
  let path: string;
  /** The claim to replace a lock with a dead holder. */
  const claimOf = (held: string): string =>
    `${path}.claim-${createHash('sha256').update(held).digest('hex').slice(0, 16)}`;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-lock-'));
    path = join(folder, 'lock');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it('is held by one process at a time, and leaves no files', async () => {
    const lock = await lockFolder(path);
    await expect(lockFolder(path)).rejects.toThrow(FolderInUseError);
    await expect(lockFolder(path)).rejects.toThrow('this very process');
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is released although its file was deleted', async () => {
    const lock = await lockFolder(path);
    rmSync(path);
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['dead', byDead],
    ['unreadable', () => '{"pid":'],
  ])('with a holder that is %s is taken over', async (_name, held) => {
    writeFileSync(path, held());
    const lock = await lockFolder(path);
    await expect(lockFolder(path)).rejects.toThrow(FolderInUseError);
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is taken over although another process died doing so', async () => {
    const held = byDead();
    writeFileSync(path, held);
    writeFileSync(claimOf(held), byDead());
    const lock = await lockFolder(path);
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is not taken over while another living process does so', async () => {
    const held = byDead();
    writeFileSync(path, held);
    writeFileSync(claimOf(held), byLiving());
    let isTaken = false;
    const taking = lockFolder(path).then((lock) => {
      isTaken = true;
      return lock;
    });
    for (let turn = 0; turn < 50; turn++) await nextTurn();
    expect([isTaken, existsSync(claimOf(held))]).toEqual([false, true]);
    rmSync(claimOf(held));
    const lock = await taking;
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['took it over', () => writeFileSync(path, byLiving())],
    ['took it over and released it', () => rmSync(path)],
  ])('says that it is lost where another process %s', async (_name, change) => {
    const lock = await lockFolder(path);
    change();
    await lock.lost;
    const [found] = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    await lock.release();
    // What the other process holds is left alone.
    expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))[0]).toBe(found);
  });

  it('of the same pid on another machine is held while it is updated', async () => {
    const { startedAt } = ownIdentity();
    const held = JSON.stringify({ token: randomUUID(), ...ownIdentity(), startedAt: `another-${startedAt}` });
    writeFileSync(path, held);
    let beats = 0;
    const heartbeat = setInterval(() => utimesSync(path, ++beats, beats), 50);
    await expect(lockFolder(path)).rejects.toThrow(FolderInUseError);
    clearInterval(heartbeat);
    expect(readFileSync(path, 'utf8')).toBe(held);
  });
});
