import { describe, expect, it } from 'vitest';
import {
  MAX_REASONING_BYTES,
  MemoryReasoningStore,
  REASONING_RETENTION_MS,
} from '../../../../src/gateway/reasoning/reasoning-memory.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';

const ofBytes = (bytes: number) => ({ name: 'tool', details: 'x'.repeat(bytes / 2) });
const QUARTER = MAX_REASONING_BYTES / 4;

describe('signed reasoning in memory', () => {
  it('is stored for a day after its last use', () => {
    const clock = new FakeClock();
    const store = new MemoryReasoningStore(clock);
    store.store('account', 'call', ofBytes(10));
    clock.advance(REASONING_RETENTION_MS - 1);
    expect(store.find('account', 'call')).toEqual(ofBytes(10));
    clock.advance(REASONING_RETENTION_MS - 1);
    expect(store.find('account', 'call')).toEqual(ofBytes(10));
    clock.advance(REASONING_RETENTION_MS);
    expect(store.find('account', 'call')).toBeUndefined();
    expect(store.bytes).toBe(0);
  });

  it('is replaced by the same call', () => {
    const store = new MemoryReasoningStore();
    store.store('account', 'call', ofBytes(1_000));
    const { bytes } = store;
    store.store('account', 'call', { ...ofBytes(1_000), name: 'loot' });
    expect(store.bytes).toBe(bytes);
    expect(store.find('account', 'call')?.name).toBe('loot');
  });

  it('is not stored where it is too long', () => {
    const store = new MemoryReasoningStore();
    store.store('account', 'call', ofBytes(MAX_REASONING_BYTES));
    expect(store.find('account', 'call')).toBeUndefined();
  });

  it('of one account evicts only its own entries, the least recently used first', () => {
    const store = new MemoryReasoningStore();
    store.store('other', 'call', ofBytes(QUARTER));
    for (let call = 0; call < 40; call++) {
      store.store('account', `call ${call}`, ofBytes(QUARTER));
      store.find('account', 'call 0');
    }
    expect(store.find('other', 'call')).toBeDefined();
    expect(store.find('account', 'call 0')).toBeDefined();
    expect(store.find('account', 'call 1')).toBeUndefined();
    expect(store.find('account', 'call 39')).toBeDefined();
    expect(store.bytes).toBeLessThan(36 * QUARTER);
  });

  it('is bounded in total, however many accounts there are', () => {
    const store = new MemoryReasoningStore();
    for (let account = 0; account < 400; account++) store.store(`account ${account}`, 'call', ofBytes(QUARTER));
    expect(store.bytes).toBeLessThanOrEqual(64 * 1024 * 1024);
    expect(store.find('account 0', 'call')).toBeUndefined();
    expect(store.find('account 399', 'call')).toBeDefined();
  });
});
