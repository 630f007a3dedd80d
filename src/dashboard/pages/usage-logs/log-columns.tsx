import { Badge } from '../../design/badge.tsx';
import { count, duration, money, words } from '../../design/format.ts';
import type { Column } from '../../design/rows.tsx';
import { Time } from '../../design/time.tsx';
import type { LogRowFragment, RequestStatus } from '../../generated/graphql.ts';

export const statusTones = {
  SUCCEEDED: 'good',
  FAILED: 'bad',
  ABORTED: 'warn',
  INTERRUPTED: 'warn',
  REJECTED: 'bad',
} as const satisfies Record<RequestStatus, string>;

/** Of a rejected request it may be known only as what it asked for, or not at all. */
export function modelName({ model, requestedModel }: Pick<LogRowFragment, 'model' | 'requestedModel'>): string {
  return model || requestedModel || 'No model';
}

export const logColumns: readonly Column<LogRowFragment>[] = [
  { name: 'at', title: 'Time', width: '124px', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: 'status',
    title: 'State',
    width: '92px',
    wide: true,
    cell: ({ status }) => <Badge tone={statusTones[status]}>{words(status)}</Badge>,
  },
  {
    name: 'model',
    title: 'Model',
    width: 'minmax(0, 3fr)',
    cell: (row) => (
      <>
        <span title={modelName(row)}>{modelName(row)}</span>
        {row.requests > 1 ? <span className="text-soft"> × {count(row.requests)}</span> : null}
        <span className="block text-small text-soft lg:hidden">
          <Time at={row.createdAt} />
          {row.status === 'SUCCEEDED' ? '' : `, ${words(row.status).toLowerCase()}`}
        </span>
      </>
    ),
  },
  {
    name: 'key',
    title: 'Key',
    width: 'minmax(0, 2fr)',
    wide: true,
    cell: ({ apiKey }) => <span className="text-soft">{apiKey?.name ?? 'Dashboard'}</span>,
  },
  {
    name: 'in',
    title: 'Input tokens',
    width: '88px',
    align: 'right',
    wide: true,
    cell: ({ inputTokens }) => count(inputTokens),
  },
  {
    name: 'out',
    title: 'Output tokens',
    width: '96px',
    align: 'right',
    wide: true,
    cell: ({ outputTokens }) => count(outputTokens),
  },
  {
    name: 'first',
    title: 'First token',
    width: '88px',
    align: 'right',
    wide: true,
    cell: ({ firstTokenMs }) => (firstTokenMs == null ? '–' : duration(firstTokenMs)),
  },
  {
    name: 'duration',
    title: 'Duration',
    width: '88px',
    align: 'right',
    wide: true,
    cell: ({ durationMs }) => duration(durationMs),
  },
  {
    name: 'cost',
    title: 'Cost (USD)',
    width: '96px',
    align: 'right',
    cell: ({ cost, estimated }) => `${estimated ? '≈ ' : ''}${money(cost.amount)}`,
  },
];
