import { expect, it } from 'vitest';
import { DownloadSlots } from '../../../src/outbound/download-slots.ts';

const never = new AbortController().signal;

/** Takes slots one after another. @returns those that have started, in order */
function takeAll(slots: DownloadSlots, accounts: readonly string[]): string[] {
  const started: string[] = [];
  for (const account of accounts) void slots.take(account, never).then(() => started.push(account));
  return started;
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const times = (account: string, count: number): string[] => Array.from({ length: count }, () => account);

it('an account has eight downloads at once, and those of others do not wait for it', async () => {
  const slots = new DownloadSlots();
  const started = takeAll(slots, [...times('a', 100), 'b']);
  await settled();
  expect(started).toEqual([...times('a', 8), 'b']);
  slots.release('a');
  await settled();
  expect(started).toEqual([...times('a', 8), 'b', 'a']);
});

it('all accounts have 32 at once, and the account with the fewest is next', async () => {
  const slots = new DownloadSlots();
  const started = takeAll(slots, [...['a', 'b', 'c', 'd'].flatMap((account) => times(account, 20)), 'e']);
  await settled();
  expect(started).toHaveLength(32);
  expect(started).not.toContain('e');
  slots.release('a');
  await settled();
  expect(started.slice(32)).toEqual(['e']);
  slots.release('e');
  await settled();
  expect(started.slice(32)).toEqual(['e', 'a']);
});

it('every download has its turn, and nothing is left behind', async () => {
  const slots = new DownloadSlots();
  const accounts = Array.from({ length: 500 }, (_, index) => `account ${index % 7}`);
  let [running, most] = [0, 0];
  await Promise.all(
    accounts.map(async (account) => {
      await slots.take(account, never);
      most = Math.max(most, ++running);
      await settled();
      running--;
      slots.release(account);
    }),
  );
  expect([running, most]).toEqual([0, 32]);
  const started = takeAll(slots, times('a', 9));
  await settled();
  expect(started).toHaveLength(8);
});

it('a waiting download ends with its request, and its turn goes to the next', async () => {
  const slots = new DownloadSlots();
  takeAll(slots, times('a', 8));
  const client = new AbortController();
  const waiting = slots.take('a', client.signal);
  const started = takeAll(slots, ['a']);
  client.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  await expect(slots.take('b', client.signal)).rejects.toThrow('gone');
  expect(started).toEqual([]);
  slots.release('a');
  await settled();
  expect(started).toEqual(['a']);
});
