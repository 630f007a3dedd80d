import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../../design/button.tsx';
import { Menu } from '../../../design/menu.tsx';
import { useDownload } from '../../../shell/download.ts';
import { exportParams } from '../filter.ts';
import type { LogColumn } from '../log-columns.tsx';
import type { UsageLogsSearch } from '../search.ts';

const shownFormats = ['csv', 'jsonl'] as const;
const formats = ['csv', 'jsonl', 'parquet'] as const;

/** Files of the filtered requests: as the table shows them, or with all columns, the oldest first. */
export function ExportMenu({
  search,
  time,
  columns,
}: {
  readonly search: UsageLogsSearch;
  readonly time: { readonly from: string; readonly to?: string | undefined };
  readonly columns: readonly LogColumn[];
}): ReactNode {
  const download = useDownload();
  const item = (format: (typeof formats)[number], shape: Readonly<Record<string, string>>) => ({
    label: format === 'parquet' ? 'Parquet' : format.toUpperCase(),
    onSelect: () =>
      location.assign(download(`/exports/usage.${format}`, { ...exportParams(search), ...time, ...shape })),
  });
  const names = new Set(columns.flatMap(({ exported }) => exported));
  const shape = { columns: [...names].join(','), order: search.sort ?? 'time_desc' };
  return (
    <Menu
      align="end"
      trigger={<Button icon={<Download size={16} aria-hidden />}>Export</Button>}
      groups={[
        { title: 'As shown', items: shownFormats.map((format) => item(format, shape)) },
        { title: 'All columns, oldest first', items: formats.map((format) => item(format, {})) },
      ]}
    />
  );
}
