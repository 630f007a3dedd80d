import { describe, expect, it } from 'vitest';
import { parseSlots, redirectionOf, SLOT_COUNT, slotOf, tagOf } from '../../../src/storage/redis/cluster-slots.ts';

describe('slots of Redis Cluster', () => {
  // The first two are of the specification: redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec.
  it.each([
    ['123456789', 0x31c3],
    ['foo{bar}{zap}', slotOf('bar')],
    ['{user1000}.following', slotOf('{user1000}.followers')],
    ['foo{{bar}}zap', slotOf('{bar')],
    ['', 0],
  ])('are those of the specification for %s', (key, slot) => {
    expect(slotOf(key)).toBe(slot);
  });

  it('hash the whole key where its braces are empty or open', () => {
    expect(slotOf('foo{}{bar}')).not.toBe(slotOf('bar'));
    expect(slotOf('foo{bar')).not.toBe(slotOf('bar'));
  });

  it.each([0, 1, 5_462, 10_924, SLOT_COUNT - 1])('have a hash tag: %d', (slot) => {
    expect(slotOf(`sluice:{${tagOf(slot)}}:key`)).toBe(slot);
  });

  it('are read with the host that was asked where a node does not know its own', () => {
    const reply = [
      [0, 99, ['', 7000, 'a', []], ['10.0.0.9', 7009, 'b', []]],
      [100, 200, ['10.0.0.1', 7001, 'c', []]],
      ['odd'],
    ];
    expect(parseSlots(reply, 'asked')).toEqual([
      { first: 0, last: 99, primary: { host: 'asked', port: 7000 } },
      { first: 100, last: 200, primary: { host: '10.0.0.1', port: 7001 } },
    ]);
    expect(() => parseSlots('OK', 'asked')).toThrow('CLUSTER SLOTS');
  });

  it('are redirected by MOVED and ASK alone, also to IPv6', () => {
    expect(redirectionOf(new Error('MOVED 3999 127.0.0.1:6381'))).toEqual({
      kind: 'MOVED',
      slot: 3999,
      address: { host: '127.0.0.1', port: 6381 },
    });
    expect(redirectionOf(new Error('ASK 1 ::1:6381'))?.address).toEqual({ host: '::1', port: 6381 });
    expect(redirectionOf(new Error('CLUSTERDOWN The cluster is down'))).toBeNull();
    expect(redirectionOf('MOVED 1 a:1')).toBeNull();
  });
});
