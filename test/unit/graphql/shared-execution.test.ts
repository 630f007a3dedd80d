import { describe, expect, it } from 'vitest';
import { SharedExecution } from '../../../src/graphql/sockets/shared-execution.ts';

describe('SharedExecution', () => {
  it('executes once per group of equal subscribers', async () => {
    const shared = new SharedExecution((result) => result);
    let executions = 0;
    const execute = async () => ({ data: { number: ++executions } });
    const [event, other] = [{}, {}];
    const [first, second, stranger] = [shared.join('a'), shared.join('a'), shared.join('b')];
    const payloads = await Promise.all([first, second, first].map((each) => each.payload(event, execute)));
    expect(payloads).toEqual(Array.from({ length: 3 }, () => '{"data":{"number":1}}'));
    expect(await stranger.payload(event, execute)).toBe('{"data":{"number":2}}');
    expect(await first.payload(other, execute)).toBe('{"data":{"number":3}}');
    expect(await second.payload(other, execute)).toBe('{"data":{"number":3}}');
  });

  it('caches nothing for a single subscriber', () => {
    const shared = new SharedExecution((result) => result);
    let executions = 0;
    const execute = () => ({ data: { number: ++executions } });
    const [first, event] = [shared.join('a'), {}];
    void first.payload(event, execute);
    const second = shared.join('a');
    void second.payload(event, execute);
    void first.payload(event, execute);
    expect(executions).toBe(2);
    second.leave();
    void first.payload(event, execute);
    expect(executions).toBe(3);
  });

  it('limits the cache over all groups', () => {
    const shared = new SharedExecution((result) => result);
    let executions = 0;
    const execute = () => ({ data: { number: ++executions, text: 'x'.repeat(1024 * 1024) } });
    const event = {};
    const audiences = Array.from({ length: 20 }, (_, at) => [shared.join(`${at}`), shared.join(`${at}`)]);
    for (const [first] of audiences) void first?.payload(event, execute);
    for (const [, second] of audiences.slice(-10)) void second?.payload(event, execute);
    expect(executions).toBe(20);
    void audiences[0]?.[1]?.payload(event, execute);
    expect(executions).toBe(21);
  });

  it('caches results for late readers, up to the limit', () => {
    const shared = new SharedExecution((result) => result);
    let executions = 0;
    const execute = () => ({ data: { number: ++executions, text: 'x'.repeat(1_000) } });
    const [audience] = [shared.join('a'), shared.join('a')];
    const events = Array.from({ length: 10_000 }, () => ({}));
    for (const event of events) void audience.payload(event, execute);
    for (const event of events.slice(-100)) void audience.payload(event, execute);
    expect(executions).toBe(10_000);
    void audience.payload(events[0], execute);
    expect(executions).toBe(10_001);
  });

  it('evicts the oldest event when the limit is reached', () => {
    const shared = new SharedExecution((result) => result);
    let executions = 0;
    const execute = () => ({ data: { number: ++executions } });
    const [audience] = [shared.join('a'), shared.join('a')];
    const [forgotten, kept] = [12_000, 8_192];
    const events = Array.from({ length: forgotten + kept }, () => ({}));
    for (const event of events) void audience.payload(event, execute);
    for (const event of events.slice(forgotten)) void audience.payload(event, execute);
    expect(executions).toBe(forgotten + kept);
    for (const event of events.slice(0, forgotten)) void audience.payload(event, execute);
    expect(executions).toBe(forgotten + kept + forgotten);
  });

  it('clears the cache when the last subscriber leaves', () => {
    const shared = new SharedExecution((result) => result);
    const [first, second] = [shared.join('a'), shared.join('a')];
    first.leave();
    first.leave();
    expect(shared.size).toBe(1);
    second.leave();
    expect(shared.size).toBe(0);
  });
});
