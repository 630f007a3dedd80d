import { useEffect, useMemo, useState } from 'react';
import { useViewer } from '../../../shell/viewer.ts';
import { defaultColumns, logColumns, type LogColumn } from '../log-columns.tsx';
import type { LogSort, UsageLogsSearch } from '../search.ts';

const STORAGE_KEY = 'sluice_log_table';
const GAP_PX = 16;

export const densities = ['comfortable', 'compact'] as const;
export type Density = (typeof densities)[number];

/** What a user chose in this browser. */
interface StoredView {
  readonly columns?: string;
  readonly density?: Density;
}

export interface LogView {
  /** In the order of the table. */
  readonly columns: readonly LogColumn[];
  /** Pixels that they need at least. */
  readonly minPx: number;
  readonly density: Density;
  readonly isDefault: boolean;
  toggleColumn(name: string): void;
  resetColumns(): void;
  setDensity(density: Density): void;
}

/** The columns are in the URL, and remembered with the density for the user in this browser. */
export function useLogView(search: UsageLogsSearch, change: (next: Partial<UsageLogsSearch>) => void): LogView {
  const { user } = useViewer();
  const storageKey = `${STORAGE_KEY}.${user?.id ?? ''}`;
  const [stored, setStored] = useState(() => readView(storageKey));
  const store = (next: StoredView): void => {
    setStored(next);
    localStorage.setItem(storageKey, JSON.stringify(next));
  };
  const given = search.columns;
  // So that the URL, when it is shared, shows the same.
  useEffect(() => {
    if (given === undefined && stored.columns !== undefined) change({ columns: stored.columns });
  }, [given, stored.columns, change]);
  const shown = given ?? stored.columns;
  const columns = useMemo(() => columnsOf(shown), [shown]);
  const choose = (names: readonly string[]): void => {
    const text = namesOf(logColumns.filter(({ name }) => names.includes(name)));
    const next = text === namesOf(columnsOf(undefined)) ? undefined : text;
    store({ ...stored, columns: next });
    change({ columns: next });
  };
  return {
    columns,
    minPx: columns.reduce((sum, { minPx }) => sum + minPx + GAP_PX, 0),
    density: stored.density ?? 'comfortable',
    isDefault: namesOf(columns) === namesOf(columnsOf(undefined)),
    toggleColumn: (name) => {
      const names = columns.map((column) => column.name);
      choose(names.includes(name) ? names.filter((each) => each !== name) : [...names, name]);
    },
    resetColumns: () => choose(defaultColumns),
    setDensity: (density) => store({ ...stored, density }),
  };
}

/** The model is always shown: it names the row. Unknown names are dropped. */
function columnsOf(text: string | undefined): readonly LogColumn[] {
  const names = text === undefined ? defaultColumns : text.split(',');
  return logColumns.filter(({ name }) => name === 'model' || names.includes(name));
}

function namesOf(columns: readonly LogColumn[]): string {
  return columns.map(({ name }) => name).join(',');
}

function readView(storageKey: string): StoredView {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return {};
    const { columns, density }: { columns?: unknown; density?: unknown } = stored;
    return {
      ...(typeof columns === 'string' && { columns }),
      ...(density === 'compact' && { density }),
    };
  } catch {
    return {};
  }
}

/** @param by what a title sorts by @returns the first click sorts descending, the next one ascending */
export function nextSort(sort: LogSort, by: string): LogSort {
  const sorts = { time: 'time', cost: 'cost', duration: 'duration', tokens: 'tokens' } as const;
  const figure = Object.values(sorts).find((each) => each === by) ?? 'time';
  return sort === `${figure}_desc` ? `${figure}_asc` : `${figure}_desc`;
}
