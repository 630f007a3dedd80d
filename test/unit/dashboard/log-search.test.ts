import { expect, it } from 'vitest';
import { usageLogsSearch } from '../../../src/dashboard/pages/usage-logs/search.ts';

it('ignores times in the URL that the server does not accept', () => {
  const from = '2026-11-01T00:00:00Z';
  expect(usageLogsSearch({ from, to: '2026-11-02T00:00:00Z' })).toMatchObject({ from, to: '2026-11-02T00:00:00Z' });
  for (const time of ['0202-11-01T00:00:00Z', '2019-12-31T23:59:59Z', '9999-01-01T00:00:00Z', 'yesterday', ''])
    expect(usageLogsSearch({ from: time, to: time })).toMatchObject({ from: undefined, to: undefined });
});
