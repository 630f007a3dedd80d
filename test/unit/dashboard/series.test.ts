import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MAX_SERIES, seriesOf } from '../../../src/dashboard/design/series.ts';

beforeAll(() => vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined }));
afterAll(() => vi.unstubAllGlobals());

const at = ['2026-11-24T00:00:00.000Z', '2026-11-25T00:00:00.000Z'];
const amounts = (count: number): { name: string; start: string; amount: number }[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `model-${index}`,
    start: '2026-11-25T00:00:00Z',
    amount: index + 1,
  }));

describe('the series of a chart', () => {
  it('are sorted by size, each with its values in time', () => {
    const series = seriesOf('model', [...amounts(2), { name: 'model-0', start: at[0], amount: 5 }], at);
    expect(series.map(({ name, values }) => [name, values])).toEqual([
      ['model-0', [5, 1]],
      ['model-1', [0, 2]],
    ]);
  });

  it('are grouped beyond the largest, with their number', () => {
    const series = seriesOf('model', amounts(MAX_SERIES + 5), at);
    expect(series).toHaveLength(MAX_SERIES + 1);
    expect(series.at(-1)).toMatchObject({ name: 'Other (5)', values: [0, 1 + 2 + 3 + 4 + 5] });
    expect(new Set(series.map(({ style }) => JSON.stringify(style))).size).toBe(MAX_SERIES + 1);
  });

  it('are separate for groups with the same name', () => {
    const ann = { name: 'Ann', start: at[0] };
    const series = seriesOf(
      'member',
      [
        { ...ann, id: 'a', amount: 3 },
        { ...ann, id: 'b', amount: 2 },
      ],
      at,
    );
    expect(series.map(({ name, values }) => [name, values])).toEqual([
      ['Ann', [3, 0]],
      ['Ann', [2, 0]],
    ]);
  });

  it('are not grouped when the group would have one member or no amount', () => {
    expect(seriesOf('model', amounts(MAX_SERIES + 1), at).at(-1)?.name).toBe('model-0');
    expect(seriesOf('model', [{ name: 'unused', start: at[0], amount: 0 }], at)).toEqual([]);
  });
});
