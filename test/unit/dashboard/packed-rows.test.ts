import { describe, expect, it } from 'vitest';
import { PackedRows } from '../../../src/dashboard/data/packed-rows.ts';

interface Row {
  readonly id: number;
  readonly cost: { readonly amount: string } | null;
}

const row = (id: number): Row => ({ id, cost: id % 3 === 0 ? null : { amount: `0.${id}` } });
const range = (first: number, end: number): Row[] =>
  Array.from({ length: Math.max(0, end - first) }, (_, at) => row(first + at));

describe('packed rows', () => {
  it('return the added rows in any order, for pages of any length', () => {
    let rows = PackedRows.empty<Row>();
    for (const length of [100, 1, 0, 37, 250, 100, 3]) rows = rows.with(range(rows.length, rows.length + length));
    expect(rows.length).toBe(491);
    for (let first = 0; first <= 500; first += 7)
      for (const length of [0, 1, 2, 45, 200, 600])
        expect(rows.slice(first, first + length)).toEqual(range(first, Math.min(491, first + length)));
  });

  it('do not change when others are added', () => {
    const before = PackedRows.empty<Row>().with(range(0, 3));
    const [one, other] = [before.with(range(3, 5)), before.with(range(3, 9))];
    expect([before.length, one.length, other.length]).toEqual([3, 5, 9]);
    expect(before.slice(0, 9)).toEqual(range(0, 3));
    expect(one.slice(0, 9)).toEqual(range(0, 5));
    expect(other.slice(0, 9)).toEqual(range(0, 9));
  });

  it('are the same objects while they are visible, so that they are not rendered again', () => {
    const rows = PackedRows.empty<Row>().with(range(0, 100)).with(range(100, 200));
    const [first] = rows.slice(90, 110);
    expect(rows.slice(80, 100)[10]).toBe(first);
  });

  it('take inserted rows in their order, each once, wherever its page begins', () => {
    const compare = (one: Row, other: Row): number => other.id - one.id;
    let rows = PackedRows.empty<Row>();
    for (const [first, end] of [
      [400, 500],
      [250, 400],
      [0, 3],
    ] as const)
      rows = rows.with(
        range(first, end)
          .filter(({ id }) => id % 2 === 0)
          .toReversed(),
      );
    const before = rows;
    for (let id = 501; id < 760; id += 1) rows = rows.inserted([row(id)], compare);
    rows = rows.inserted(range(0, 760).toReversed(), compare);
    expect(rows.length).toBe(760);
    for (let first = 0; first < 760; first += 13)
      expect(rows.slice(first, first + 40)).toEqual(
        range(0, 760)
          .toReversed()
          .slice(first, first + 40),
      );
    expect(rows.inserted([row(3), row(759)].toSorted(compare), compare)).toBe(rows);
    expect(before.length).toBe(127);
    expect(
      PackedRows.empty<Row>()
        .inserted([row(2), row(1)], compare)
        .slice(0, 9),
    ).toEqual([row(2), row(1)]);
  });

  it('are empty in an empty table', () => {
    expect(PackedRows.empty<Row>().slice(0, 24)).toEqual([]);
  });
});
