import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Call } from '../../../../src/gateway/call.ts';
import { ComparisonRuns } from '../../../../src/gateway/comparisons/comparison-runs.ts';
import type { PreparedRun } from '../../../../src/gateway/comparisons/running-comparisons.ts';
import type { Pipeline } from '../../../../src/gateway/pipeline.ts';
import { key } from '../../../harness/gateway.ts';

interface Running {
  readonly runs: ComparisonRuns;
  /** Of every lane that was started. */
  readonly calls: Call[];
  prepare(id: string): PreparedRun;
}

/** Lanes that report nothing unless a test makes them. */
function running(): Running {
  const calls: Call[] = [];
  const open = (_capability: unknown, call: Call) => {
    calls.push(call);
    return { onClientDisconnect: () => undefined };
  };
  const runs = new ComparisonRuns({
    pipeline: { open, dependencies: {} } as unknown as Pipeline,
    models: { find: () => undefined },
    media: {} as never,
    storeFile: () => Promise.reject(new Error('there is no file')),
    store: { save: async () => [] },
    onSaveError: (error) => expect.fail(String(error)),
  });
  const question = { messages: [{ role: 'user', content: 'Hello' }] };
  return {
    runs,
    calls,
    prepare: (id) => runs.prepare({ id, key, kind: 'chat', question, models: ['a/b'] }),
  };
}

/** The store answers at once: all that follows are callbacks of promises, which run before the next turn. */
const allSaved = (): Promise<void> => nextTurn();

describe('comparisons of an account', () => {
  it('are at most twenty at a time, including prepared ones', () => {
    const { runs, prepare } = running();
    for (let n = 0; n < 20; n++) prepare(`${n}`);
    expect(() => prepare('one more')).toThrow(expect.objectContaining({ code: 'rate_limit_concurrency' }));
    runs.forget('7');
    prepare('in its place').start();
    expect(() => prepare('one more')).toThrow(expect.objectContaining({ code: 'rate_limit_concurrency' }));
  });

  it('do not start after they were stopped', async () => {
    const { runs, calls, prepare } = running();
    const late = prepare('late');
    await runs.stop();
    late.start();
    expect(calls).toEqual([]);
  });
});

describe('comparisons that have ended', () => {
  it('are retained in memory up to a number', async () => {
    const { runs, prepare } = running();
    for (let n = 0; n < 150; n++) {
      prepare(`${n}`).start();
      runs.cancel(`${n}`, null);
    }
    await allSaved();
    expect(Array.from({ length: 150 }, (_, n) => runs.lanes(`${n}`)).filter(Boolean)).toHaveLength(100);
    expect(runs.lanes('0')).toBeNull();
    expect(runs.lanes('149')).toMatchObject([{ status: 'cancelled' }]);
    await runs.stop();
  });

  it('are retained up to a size', async () => {
    const { runs, calls, prepare } = running();
    for (let n = 0; n < 30; n++) {
      prepare(`${n}`).start();
      calls[n]?.watch?.({ type: 'delta', choice: 0, text: 'x'.repeat(3 * 1024 * 1024) });
      runs.cancel(`${n}`, null);
    }
    await allSaved();
    expect(Array.from({ length: 30 }, (_, n) => runs.lanes(`${n}`)).filter(Boolean).length).toBeLessThan(15);
    expect(runs.lanes('29')).toMatchObject([{ status: 'cancelled' }]);
    await runs.stop();
  });
});

describe('the end of a comparison', () => {
  it('is read consistently with its lanes, also before it is stored', async () => {
    const { runs, prepare } = running();
    prepare('a').start();
    expect(runs.snapshot('a')).toMatchObject({ endedAt: null, lanes: [{ status: 'running' }] });
    expect(runs.unsavedEnds(key.accountId)).toEqual([]);
    runs.cancel('a', null);
    expect(runs.snapshot('a')).toMatchObject({ endedAt: expect.any(Date), lanes: [{ status: 'cancelled' }] });
    expect(runs.unsavedEnds(key.accountId)).toEqual(['a']);
    expect(runs.unsavedEnds('others')).toEqual([]);
    await runs.stop();
  });
});

describe('a lane', () => {
  it('stores a bounded part of tool call arguments', async () => {
    const { runs, calls, prepare } = running();
    prepare('a').start();
    const piece = 'x'.repeat(1024 * 1024);
    for (let n = 0; n < 20; n++)
      calls[0]?.watch?.({ type: 'toolCall', choice: 0, index: n % 3, id: null, name: null, arguments: piece });
    const called = runs.lanes('a')?.[0]?.toolCalls.map((call) => call.arguments.length) ?? [];
    expect(called.reduce((sum, each) => sum + each, 0)).toBe(4 * 1024 * 1024);
    await runs.stop();
  });
});
