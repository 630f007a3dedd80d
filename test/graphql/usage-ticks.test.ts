import { expect, test } from 'vitest';
import { usageTicks, type Tick } from '../../src/graphql/usage/usage-ticks.ts';
import type { CompletionUpdate } from '../../src/live/events.ts';
import { LiveHub } from '../../src/live/live-hub.ts';
import type { UsageTotals } from '../../src/services/usage/usage-report.ts';

const nothing: UsageTotals = {
  requests: 0,
  errors: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  costNano: 0n,
  duration: null,
  firstToken: null,
};
const finished: CompletionUpdate = {
  type: 'finished',
  finishReason: 'stop',
  inputTokens: 3,
  outputTokens: 5,
  cachedTokens: 0,
  reasoningTokens: 0,
  estimated: false,
  costNano: 7n,
  durationMs: 1,
  firstTokenMs: null,
};

interface Watched {
  readonly ticks: AsyncIterableIterator<Tick>;
  /** What is stored of the day. */
  store(totals: Partial<UsageTotals> | null): void;
  publish(update: CompletionUpdate, accountId?: string): void;
  leave(): void;
}

function watch(intervalMs: number): Watched {
  const hub = new LiveHub();
  const leaving = new AbortController();
  let today: UsageTotals | null = nothing;
  return {
    ticks: usageTicks(hub, 'mine', async () => today, intervalMs, leaving.signal),
    store: (totals) => {
      today = totals && { ...nothing, ...totals };
    },
    publish: (update, accountId = 'mine') =>
      hub.publish({ accountId, apiKeyId: 'key', requestId: 'req', model: 'a/b', at: 0, update }),
    leave: () => leaving.abort(),
  };
}

async function next({ ticks }: Watched): Promise<Tick> {
  const { value, done } = await ticks.next();
  if (done) throw new Error('the ticks have ended');
  return value;
}

test('come at once, and then when completions of the account have ended', async () => {
  const watched = watch(1);
  expect(await next(watched)).toMatchObject({ moved: { requests: 0, costNano: 0n }, today: nothing });
  watched.publish(finished, 'others');
  watched.publish({ type: 'started', model: 'a/b', provider: 'a' });
  watched.publish(finished);
  const tick = await next(watched);
  expect(tick.moved).toEqual({ requests: 1, errors: 0, inputTokens: 3, outputTokens: 5, costNano: 7n });
  watched.publish({ type: 'failed', code: 'x', message: '', aborted: false });
  watched.publish({ type: 'failed', code: 'x', message: '', aborted: true });
  let moved = (await next(watched)).moved;
  if (moved.requests < 3) ({ moved } = await next(watched));
  expect(moved).toMatchObject({ requests: 3, errors: 1, costNano: 7n });
  watched.leave();
  expect((await watched.ticks.next()).done).toBe(true);
});

test('are no more than one an interval, however much happens', async () => {
  const watched = watch(400);
  await next(watched);
  watched.publish(finished);
  const first = await next(watched);
  for (let more = 0; more < 50; more++) watched.publish(finished);
  const second = await next(watched);
  expect(second.at.getTime() - first.at.getTime()).toBeGreaterThanOrEqual(395);
  expect(second.moved.requests).toBe(51);
  watched.leave();
});

test('come once more when what was stored afterwards changes the day', async () => {
  const watched = watch(1);
  await next(watched);
  watched.publish(finished);
  expect((await next(watched)).today).toEqual(nothing);
  watched.store({ requests: 1, costNano: 7n });
  const late = await next(watched);
  expect([late.moved.requests, late.today?.costNano]).toEqual([1, 7n]);
  watched.leave();
});

test('go on without the day while it cannot be read', async () => {
  const watched = watch(1);
  watched.store(null);
  expect((await next(watched)).today).toBeNull();
  watched.publish(finished);
  expect(await next(watched)).toMatchObject({ today: null, moved: { requests: 1 } });
  watched.leave();
});

test('end while nothing happens', async () => {
  const watched = watch(1);
  await next(watched);
  const waiting = watched.ticks.next();
  watched.leave();
  expect((await waiting).done).toBe(true);
});
