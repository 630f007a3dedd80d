import { closeSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { limitIn } from '../../../src/descriptors/descriptor-limit.ts';
import { Descriptors } from '../../../src/descriptors/descriptors.ts';
import { limitWarnings } from '../../../src/descriptors/limit-warnings.ts';

const limits = (soft: string): string =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${soft.padEnd(21)}1048576              files\n`;

describe('the limit of file descriptors', () => {
  it('is the soft limit that the system states', () => {
    expect(limitIn(limits('256'))).toBe(256);
    expect(limitIn(limits('unlimited'))).toBeNull();
    expect(limitIn('')).toBeNull();
  });

  it('is warned of where it is low', () => {
    expect(limitWarnings(1_024)).toEqual([expect.stringContaining('only 1024 file descriptors')]);
    expect([limitWarnings(4_096), limitWarnings(null)]).toEqual([[], []]);
  });
});

describe('the room for connections', () => {
  it('ends before the descriptors that files and the database need', () => {
    const { roomFor } = bound(new Descriptors(1_024));
    // A sixteenth is reserved, and an eighth answers with errors.
    expect([0, 831, 832, 959, 960, 1_023].map(roomFor)).toEqual(['full', 'full', 'refusal', 'refusal', 'none', 'none']);
  });

  it('is at least half of a tiny limit, and all but some hundred of a high one', () => {
    expect([31, 32].map(bound(new Descriptors(64)).roomFor)).toEqual(['full', 'refusal']);
    expect([999_231, 999_232].map(bound(new Descriptors(1_000_000)).roomFor)).toEqual(['full', 'refusal']);
  });

  it('is full where no limit is known, or a connection has no descriptor', () => {
    expect(new Descriptors(null).roomFor(1_000_000)).toBe('full');
    expect(new Descriptors(64).roomFor(-1)).toBe('full');
  });

  it('allows connections to providers until only reserved descriptors are free', () => {
    const used = Array.from({ length: 8 }, () => openSync('/dev/null', 'r'));
    try {
      const highest = Math.max(...used);
      // A quarter of this limit is reserved.
      expect(new Descriptors(highest).canDial).toBe(false);
      expect(new Descriptors((highest + 64) * 2).canDial).toBe(true);
      expect(new Descriptors(null).canDial).toBe(true);
    } finally {
      used.forEach((descriptor) => closeSync(descriptor));
    }
  });

  it('allows connections to providers where the number of free descriptors cannot be learned', () => {
    expect(new Descriptors(1_024, '/dev/missing').canDial).toBe(true);
  });
});

function bound(descriptors: Descriptors): Pick<Descriptors, 'roomFor'> {
  return { roomFor: (descriptor) => descriptors.roomFor(descriptor) };
}
