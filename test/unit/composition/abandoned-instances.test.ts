import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ABANDONED_AFTER_MS, AbandonedInstances } from '../../../src/composition/journals/abandoned-instances.ts';
import { FolderInUseError, lockFolder } from '../../../src/database/embedded/folder-lock.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

const counts = {
  requests: 1,
  storedBefore: 0,
  interrupted: 0,
  refused: 0,
  droppedContents: 0,
  accounts: 1,
  settledKeys: 0,
  movedFiles: 0,
};

let parent: string;
let clock: FakeClock;
let adopted: string[];
let errors: string[];

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'sluice-instances-'));
  clock = new FakeClock();
  adopted = [];
  errors = [];
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

function instance(name: string, journal = 'S{}\n'): string {
  const folder = join(parent, name);
  mkdirSync(join(folder, 'journal'), { recursive: true });
  writeFileSync(join(folder, 'journal', '0000000001.jsonl'), journal);
  return folder;
}

/** @param adopt null: it is adopted */
function sweeper(adopt: ((folder: string) => Error | null) | null = null): AbandonedInstances {
  return new AbandonedInstances({
    parent,
    own: join(parent, 'own'),
    adopt: async (folder) => {
      adopted.push(folder);
      const error = adopt?.(folder) ?? null;
      if (error !== null) throw error;
      rmSync(join(folder, 'journal'), { recursive: true });
      return counts;
    },
    log: { info: () => undefined, error: (_fields, message) => void errors.push(message) },
    clock,
  });
}

async function sweepAfter(instances: AbandonedInstances, ms: number): Promise<readonly string[]> {
  clock.advance(ms);
  await instances.sweep();
  return adopted.splice(0);
}

it('adopts a folder whose lock is free, once nothing has changed for the time', async () => {
  const folder = instance('gone');
  instance('own');
  const instances = sweeper();
  expect(await sweepAfter(instances, 0)).toEqual([]);
  expect(await sweepAfter(instances, ABANDONED_AFTER_MS - 1)).toEqual([]);
  expect(await sweepAfter(instances, 1)).toEqual([folder]);
  expect(await sweepAfter(instances, ABANDONED_AFTER_MS)).toEqual([]);
});

it('adopts a folder whose lock is not updated any more, whatever the clock of its machine', async () => {
  const folder = instance('gone');
  const lock = join(folder, 'lock');
  writeFileSync(lock, 'of another machine');
  const instances = sweeper();
  await sweepAfter(instances, 0);
  for (const at of [1_000, 5_000_000_000]) {
    utimesSync(lock, at, at);
    expect(await sweepAfter(instances, ABANDONED_AFTER_MS)).toEqual([]);
  }
  expect(await sweepAfter(instances, ABANDONED_AFTER_MS)).toEqual([folder]);
});

it('begins anew with a folder that was used in between', async () => {
  const folder = instance('gone');
  const instances = sweeper();
  await sweepAfter(instances, 0);
  const lock = await lockFolder(join(folder, 'lock'));
  expect(await sweepAfter(instances, ABANDONED_AFTER_MS)).toEqual([]);
  await lock.release();
  expect(await sweepAfter(instances, 1)).toEqual([]);
  expect(await sweepAfter(instances, ABANDONED_AFTER_MS)).toEqual([folder]);
});

it('leaves folders without usage, and other folders, as they are', async () => {
  instance('stored', '');
  mkdirSync(join(parent, 'lost+found'));
  writeFileSync(join(parent, 'a file'), 'S{}');
  const instances = sweeper();
  await sweepAfter(instances, 0);
  expect(await sweepAfter(instances, ABANDONED_AFTER_MS)).toEqual([]);
  expect(errors).toEqual([]);
});

it('leaves a folder to another instance that adopts it, and tries again later', async () => {
  const folder = instance('gone');
  let isBusy = true;
  const instances = sweeper(() => (isBusy ? new FolderInUseError(folder, 'another') : null));
  await sweepAfter(instances, 0);
  expect(await sweepAfter(instances, ABANDONED_AFTER_MS)).toEqual([folder]);
  isBusy = false;
  expect(await sweepAfter(instances, 1)).toEqual([folder]);
  expect(errors).toEqual([]);
});

it('logs once that an adoption fails, and tries it again', async () => {
  const folder = instance('gone');
  const another = instance('gone too');
  const instances = sweeper((each) => (each === folder ? new Error('the database is away') : null));
  await sweepAfter(instances, 0);
  expect((await sweepAfter(instances, ABANDONED_AFTER_MS)).toSorted()).toEqual([folder, another]);
  expect(await sweepAfter(instances, 1)).toEqual([folder]);
  expect(errors).toEqual(['adopting the journals of an instance failed; it is tried again']);
});

it('is logged once where the parent folder cannot be read', async () => {
  const instances = sweeper();
  rmSync(parent, { recursive: true });
  await sweepAfter(instances, 0);
  await sweepAfter(instances, 1);
  expect(errors).toHaveLength(1);
});
