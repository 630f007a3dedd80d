import { beforeEach, describe, expect, it } from 'vitest';
import { createSandboxConnection } from '../../../../src/providers/sandbox/sandbox-connection.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';
import { contextFor, RecordingReceiver, user } from './collect-answer.ts';

const long = { messages: user('Write 2000 tokens about lighthouses'), stream: true };

let clock: FakeClock;

function begin(tokensPerSecond: number, request: Readonly<Record<string, unknown>> = long): RecordingReceiver {
  const receiver = new RecordingReceiver();
  createSandboxConnection({ tokensPerSecond, clock }).chat(contextFor(request), receiver);
  return receiver;
}

const tokensIn = (receiver: RecordingReceiver): number => receiver.body.split('"delta":{"content":').length - 1;

/** Resolves once `receiver` has received its next bytes. */
function nextData(receiver: RecordingReceiver): Promise<void> {
  return new Promise((resolve) => {
    const forward = receiver.onData.bind(receiver);
    receiver.onData = (bytes) => {
      forward(bytes);
      receiver.onData = forward;
      resolve();
    };
  });
}

beforeEach(() => void (clock = new FakeClock()));

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a response at a fixed pace', () => {
  it('sends one token at a time, at the configured rate', async () => {
    const receiver = begin(10);
    await clock.advanceAsync(1_050);
    expect(tokensIn(receiver)).toBe(10);
    const withTokens = receiver.slices.filter((slice) => slice.includes('"delta":{"content":'));
    expect(withTokens).toHaveLength(10);
    await clock.advanceAsync(200_000);
    expect(receiver.calls.at(-1)).toBe('end');
    expect(tokensIn(receiver)).toBe(2_000);
    expect(clock.pending).toBe(0);
  });

  it('delays an unstreamed response by its number of tokens', async () => {
    const receiver = begin(100, { ...long, stream: false });
    await clock.advanceAsync(19_900);
    expect(receiver.calls).toEqual(['connecting', 'head']);
    await clock.advanceAsync(200);
    expect(receiver.calls.at(-1)).toBe('end');
  });

  it('interleaves choices, and paces reasoning tokens too', async () => {
    const receiver = begin(10, { ...long, n: 3, reasoning_effort: 'low' });
    await clock.advanceAsync(3_150);
    expect(tokensIn(receiver)).toBe(0);
    await clock.advanceAsync(1_000);
    expect(tokensIn(receiver)).toBe(9 * 3);
  });

  it('leaves no timer behind after an abort', async () => {
    const receiver = begin(10);
    await clock.advanceAsync(500);
    const before = receiver.calls.length;
    receiver.upstream?.abort();
    expect(clock.pending).toBe(0);
    await clock.advanceAsync(10_000);
    expect(receiver.calls).toHaveLength(before);
  });

  it('sends nothing while paused, and the rest when resumed', async () => {
    const receiver = begin(10);
    await clock.advanceAsync(500);
    receiver.upstream?.pause();
    const before = receiver.body;
    await clock.advanceAsync(60_000);
    expect(receiver.body).toBe(before);
    receiver.upstream?.resume();
    await clock.advanceAsync(200_000);
    await receiver.ended;
    expect(tokensIn(receiver)).toBe(2_000);
    expect(receiver.calls.filter((call) => call === 'end')).toHaveLength(1);
  });
});

describe('a response without a pace', () => {
  it('calls the receiver in the order of the contract, after chat has returned', async () => {
    const receiver = begin(0);
    expect(receiver.calls).toEqual(['connecting']);
    await receiver.ended;
    expect(receiver.calls.slice(0, 3)).toEqual(['connecting', 'head', 'data']);
    expect(receiver.calls.filter((call) => call === 'end')).toHaveLength(1);
  });

  it('yields to the event loop between slices', async () => {
    const receiver = begin(0);
    let turns = 0;
    for (; receiver.calls.at(-1) !== 'end'; turns += 1) await turn();
    expect(receiver.slices.length).toBeGreaterThan(5);
    expect(turns).toBeGreaterThanOrEqual(receiver.slices.length);
  });

  it('stops immediately when paused, and completes when resumed', async () => {
    const receiver = begin(0);
    await nextData(receiver);
    receiver.upstream?.pause();
    const before = receiver.slices.length;
    for (let count = 0; count < 20; count += 1) await turn();
    expect(receiver.slices).toHaveLength(before);
    receiver.upstream?.resume();
    await receiver.ended;
    expect(tokensIn(receiver)).toBe(2_000);
  });

  it('does not end while paused after its last bytes', async () => {
    const receiver = begin(0, { messages: user('Hi') });
    const data = nextData(receiver);
    receiver.upstream?.pause();
    receiver.upstream?.resume();
    await data;
    receiver.upstream?.pause();
    for (let count = 0; count < 20; count += 1) await turn();
    receiver.upstream?.resume();
    await receiver.ended;
    expect(JSON.parse(receiver.body)).toMatchObject({ object: 'chat.completion' });
  });

  it.each(['connecting', 'head', 'data'])('calls nothing any more once aborted at %s', async (moment) => {
    const receiver = new RecordingReceiver();
    const abort = (): void => receiver.upstream?.abort();
    for (const name of ['onConnecting', 'onHead', 'onData'] as const) {
      const forward = receiver[name].bind(receiver) as (...values: unknown[]) => void;
      Object.assign(receiver, {
        [name]: (...values: unknown[]) => {
          forward(...values);
          if (receiver.calls.at(-1) === moment) abort();
        },
      });
    }
    createSandboxConnection({ tokensPerSecond: 0 }).chat(contextFor(long), receiver);
    for (let count = 0; count < 50; count += 1) await turn();
    expect(receiver.calls.at(-1)).toBe(moment);
  });
});
