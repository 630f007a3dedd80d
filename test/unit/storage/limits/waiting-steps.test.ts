import { beforeEach, expect, it } from 'vitest';
import { WaitingSteps, type Step } from '../../../../src/storage/limits/waiting-steps.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';

const step = (name: string): Step => ({ keys: [name], accountId: 'account', budgetIds: ['key:one'], step: {} });

let clock: FakeClock;

beforeEach(() => void (clock = new FakeClock()));

it('retries steps with growing delays until they are accepted', async () => {
  const tries: number[] = [];
  let taken = false;
  const run = async (): Promise<void> => {
    tries.push(clock.monotonic());
    if (!taken) throw new Error('LOADING');
  };
  const givenUp: Step[] = [];
  const waiting = new WaitingSteps(run, (steps) => givenUp.push(...steps), clock);
  waiting.add(step('a'));
  await clock.advanceAsync(30_000);
  const pauses = tries.slice(1).map((at, each) => at - (tries[each] ?? 0));
  expect(pauses.slice(0, 3)).toEqual([200, 400, 800]);
  expect(Math.max(...pauses)).toBe(5_000);
  taken = true;
  await clock.advanceAsync(5_000);
  const before = tries.length;
  await clock.advanceAsync(100_000);
  expect(tries).toHaveLength(before);
  expect(givenUp).toEqual([]);
});

it('gives up all steps when there are too many', async () => {
  const givenUp: number[] = [];
  const waiting = new WaitingSteps(
    () => Promise.reject(new Error('BUSY')),
    (steps) => givenUp.push(steps.length),
    clock,
  );
  for (let each = 0; each < 100_000; each++) waiting.add(step('many'));
  expect(givenUp).toEqual([]);
  waiting.add(step('more'));
  expect(givenUp).toEqual([100_001]);
});

it('gives up all steps when the oldest is a minute old', async () => {
  const givenUp: string[] = [];
  const waiting = new WaitingSteps(
    () => Promise.reject(new Error('READONLY')),
    (steps) => givenUp.push(...steps.flatMap(({ keys }) => keys)),
    clock,
  );
  waiting.add(step('old'));
  await clock.advanceAsync(50_000);
  waiting.add(step('young'));
  expect(givenUp).toEqual([]);
  await clock.advanceAsync(20_000);
  expect(givenUp).toEqual(['old', 'young']);
});
