import { describe, expect, it } from 'vitest';
import { TargetHealth } from '../../../../src/gateway/routing/health/target-health.ts';
import { HealthBook } from '../../../../src/gateway/routing/health/health-book.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';

function clocked(): { health: TargetHealth; pass(ms: number): void } {
  const clock = new FakeClock();
  return { health: new TargetHealth(clock), pass: (ms) => clock.advance(ms) };
}

function fail(health: TargetHealth, times: number): void {
  for (let time = 0; time < times; time++) {
    health.onAttemptStarted();
    health.recordFailure('unavailable', undefined);
  }
}

describe('a target’s circuit breaker', () => {
  it('opens after five failures in a row, and not before', () => {
    const { health } = clocked();
    fail(health, 4);
    expect(health.breaker).toBe('closed');
    fail(health, 1);
    expect(health.breaker).toBe('open');
    expect(health.isAvoided).toBe(true);
  });

  it('opens when half of the last twenty failed, without five in a row', () => {
    const { health } = clocked();
    for (let pair = 0; pair < 10; pair++) {
      health.recordSuccess();
      expect(health.breaker).toBe('closed');
      fail(health, 1);
    }
    expect(health.breaker).toBe('open');
  });

  it.each(['client', 'context', 'missing'] as const)(
    'counts a failure of the class %s as a working provider',
    (failure) => {
      const { health } = clocked();
      fail(health, 4);
      health.recordFailure(failure, undefined);
      fail(health, 4);
      expect(health.breaker).toBe('closed');
    },
  );

  it('does not open after rate limits, but avoids the target for its retry-after', () => {
    const { health, pass } = clocked();
    for (let time = 0; time < 20; time++) health.recordFailure('limited', 3_000);
    expect(health.breaker).toBe('closed');
    expect(health.isAvoided).toBe(true);
    expect(health.availableInMs).toBe(3_000);
    pass(3_000);
    expect(health.isAvoided).toBe(false);
  });

  it('allows one probe after the cool-down, and closes when it succeeds', () => {
    const { health, pass } = clocked();
    fail(health, 5);
    pass(4_999);
    expect(health.breaker).toBe('open');
    pass(1);
    expect(health.breaker).toBe('half-open');
    health.onAttemptStarted();
    expect(health.breaker).toBe('open');
    health.recordSuccess();
    expect(health.breaker).toBe('closed');
    fail(health, 4);
    expect(health.breaker).toBe('closed');
  });

  it('doubles the cool-down after each failed probe, up to a minute', () => {
    const { health, pass } = clocked();
    fail(health, 5);
    const waits: number[] = [];
    for (let probe = 0; probe < 6; probe++) {
      pass(health.availableInMs);
      expect(health.breaker).toBe('half-open');
      fail(health, 1);
      waits.push(health.availableInMs);
    }
    expect(waits).toEqual([10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
  });

  it.each(['limited', 'quota'] as const)('closes when its probe is %s: the provider works again', (failure) => {
    const { health, pass } = clocked();
    fail(health, 5);
    pass(5_000);
    health.onAttemptStarted();
    health.recordFailure(failure, 2_000);
    expect(health.breaker).toBe('closed');
    expect(health.isAvoided).toBe(true);
    pass(60_000);
    expect(health.isAvoided).toBe(false);
  });

  it('keeps its probe when the client of another request disconnects', () => {
    const { health, pass } = clocked();
    fail(health, 5);
    pass(5_000);
    expect(health.onAttemptStarted()).toBe(true);
    expect(health.onAttemptStarted()).toBe(false);
    health.recordInconclusive(false);
    expect(health.breaker).toBe('open');
  });

  it('allows another probe when the client of the first one disconnected', () => {
    const { health, pass } = clocked();
    fail(health, 5);
    pass(5_000);
    health.onAttemptStarted();
    health.recordInconclusive(true);
    expect(health.breaker).toBe('half-open');
  });
});

describe('a target that is a fallback', () => {
  it('accepts all requests when it is known to work', () => {
    const { health } = clocked();
    health.recordSuccess();
    for (let request = 0; request < 50; request++) expect(health.requestTrial(() => undefined)).toBe('go');
  });

  it('gets three trials first, and notifies the others of the result', () => {
    const { health } = clocked();
    const notified: boolean[] = [];
    const asked = Array.from({ length: 10 }, () => health.requestTrial((works) => notified.push(works)));
    expect(asked.filter((answer) => answer === 'trial')).toHaveLength(3);
    expect(asked.filter((answer) => answer === 'wait')).toHaveLength(7);
    health.endTrial();
    health.recordFailure('unavailable', undefined);
    expect(notified).toEqual([]);
    health.endTrial();
    health.recordSuccess();
    expect(notified).toEqual(Array.from({ length: 7 }, () => true));
  });

  it('accepts waiting requests as soon as a trial has output', () => {
    const { health } = clocked();
    const notified: boolean[] = [];
    for (let request = 0; request < 5; request++) health.requestTrial((works) => notified.push(works));
    health.onAnswering();
    expect(notified).toEqual([true, true]);
    expect(health.requestTrial(() => undefined)).toBe('go');
  });

  it('rejects waiting requests when no trial succeeds', () => {
    const { health } = clocked();
    const notified: boolean[] = [];
    for (let request = 0; request < 5; request++) health.requestTrial((works) => notified.push(works));
    for (let trial = 0; trial < 3; trial++) {
      health.endTrial();
      health.recordFailure('unavailable', undefined);
    }
    expect(notified).toEqual([false, false]);
  });

  it('allows another trial when all were cancelled', () => {
    const { health } = clocked();
    const again: string[] = [];
    for (let request = 0; request < 4; request++)
      health.requestTrial(() => again.push(health.requestTrial(() => undefined)));
    for (let trial = 0; trial < 3; trial++) {
      health.endTrial();
      health.recordInconclusive(true);
    }
    expect(again).toEqual(['trial']);
  });

  it('accepts none while its breaker is open', () => {
    const { health } = clocked();
    fail(health, 5);
    expect(health.requestTrial(() => undefined)).toBe('no');
  });
});

describe('measured speed', () => {
  it('follows the newest measurements, and expires without them', () => {
    const { health, pass } = clocked();
    expect(health.firstTokenMs).toBeNull();
    health.recordFirstToken(100);
    health.recordThroughput(50);
    expect(health.firstTokenMs).toBe(100);
    for (let time = 0; time < 40; time++) health.recordFirstToken(200);
    expect(health.firstTokenMs).toBeCloseTo(200, 0);
    expect(health.tokensPerSecond).toBe(50);
    pass(5 * 60_000);
    expect(health.firstTokenMs).toBeNull();
    expect(health.tokensPerSecond).toBeNull();
  });

  it('is separate per connection and model', () => {
    const book = new HealthBook();
    expect(book.of('a', 'm')).toBe(book.of('a', 'm'));
    expect(book.of('a', 'm')).not.toBe(book.of('b', 'm'));
    expect(book.of('a', 'm')).not.toBe(book.of('a', 'n'));
  });
});
