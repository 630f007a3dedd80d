import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { adoptClaims } from '../../../../src/gateway/idempotency/adopt-claims.ts';
import { IdempotencyStore } from '../../../../src/gateway/idempotency/idempotency-store.ts';
import { Segment } from '../../../../src/gateway/usage/journal/segment.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';

const DAY_MS = 24 * 60 * 60_000;
const accountId = '00000000-0000-4000-8000-0000000000aa';
const log = {
  error: ({ err }: { err?: unknown }) => {
    throw err;
  },
};

describe('idempotency keys of a process that does not run any more', () => {
  let folder: string;
  let clock: FakeClock;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-adopt-'));
    clock = new FakeClock();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function open(name: string): IdempotencyStore<string> {
    return new IdempotencyStore({ folder: join(folder, name), masterKeys: 'master key', log, clock });
  }

  /** As names of files and lines of the log have it. */
  const scopeOf = (name: string): string => name.padEnd(43, '-');

  function claim(store: IdempotencyStore<string>, name: string): Promise<ReturnType<typeof store.claim>> {
    return new Promise((resolve, reject) => {
      const key = { scope: scopeOf(name), accountId, fingerprint: 'print' };
      const claimed = store.claim(key, name, {
        onDurable: () => resolve(claimed),
        onClaimedElsewhere: () => reject(new Error('claimed elsewhere')),
        onFailure: reject,
      });
    });
  }

  async function answered(store: IdempotencyStore<string>, name: string, text: string): Promise<void> {
    store.ended(await claim(store, name), { about: '{}', chunks: [Buffer.from(text)] });
  }

  it('are kept with their responses and states, but for those that the other one has', async () => {
    const [left, own] = [open('left'), open('own')];
    await answered(left, 'answered', 'of the one before');
    await answered(left, 'both', 'of the one before');
    left.ended(await claim(left, 'unkept'), null);
    left.free(await claim(left, 'freed'));
    await claim(left, 'running');
    await answered(own, 'both', 'its own');
    await Promise.all([left.close(), own.close()]);
    clock.advance(DAY_MS / 2);
    adoptClaims(join(folder, 'left'), join(folder, 'own'), clock);
    expect(existsSync(join(folder, 'left'))).toBe(false);
    const store = open('own');
    for (const [name, text] of [
      ['answered', 'of the one before'],
      ['both', 'its own'],
    ] as const) {
      const found = store.find(scopeOf(name), 'print');
      if (found === null) throw new Error(`${name} is not found`);
      const opened = store.answer(found);
      expect(String((await opened.answer).chunks[0])).toBe(text);
      opened.close();
    }
    expect(() => store.find(scopeOf('unkept'), 'print')).toThrow(
      expect.objectContaining({ code: 'idempotency_not_replayable' }),
    );
    expect(() => store.find(scopeOf('running'), 'print')).toThrow(
      expect.objectContaining({ code: 'idempotency_interrupted' }),
    );
    expect(store.find(scopeOf('freed'), 'print')).toBeNull();
    clock.advance(DAY_MS / 2);
    expect(store.find(scopeOf('answered'), 'print')).toBeNull();
    await store.close();
  });

  it('stay where they are while the disk is full', async () => {
    const [left, own] = [open('left'), open('own')];
    await answered(left, 'answered', 'of the one before');
    await Promise.all([left.close(), own.close()]);
    const full = vi.spyOn(Segment.prototype, 'append').mockReturnValue();
    expect(() => adoptClaims(join(folder, 'left'), join(folder, 'own'), clock)).toThrow('the disk is full');
    full.mockRestore();
    adoptClaims(join(folder, 'left'), join(folder, 'own'), clock);
    const store = open('own');
    expect(store.find(scopeOf('answered'), 'print')?.state).toBe('kept');
    await store.close();
  });

  it('need not be there', () => {
    adoptClaims(join(folder, 'left'), join(folder, 'own'), clock);
    expect(existsSync(join(folder, 'own'))).toBe(false);
  });
});
