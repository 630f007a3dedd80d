import { Badge } from '../../design/badge.tsx';
import { count, duration, money, words } from '../../design/format.ts';
import { TwoLines, Unit, type Column } from '../../design/rows.tsx';
import { Time } from '../../design/time.tsx';
import type { LogRowFragment, RequestStatus } from '../../generated/graphql.ts';

export const statusTones = {
  SUCCEEDED: 'good',
  FAILED: 'bad',
  ABORTED: 'warn',
  INTERRUPTED: 'warn',
  REJECTED: 'bad',
} as const satisfies Record<RequestStatus, string>;

/** For rejected requests only the requested name may be known, or none. */
export function modelName({ model, requestedModel }: Pick<LogRowFragment, 'model' | 'requestedModel'>): string {
  return model || requestedModel || 'Unknown model';
}

export const logColumns: readonly Column<LogRowFragment>[] = [
  { name: 'at', title: 'Time', width: '132px', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: 'status',
    title: 'Status',
    width: '88px',
    wide: true,
    cell: ({ status }) => <Badge tone={statusTones[status]}>{words(status)}</Badge>,
  },
  {
    name: 'model',
    title: 'Model',
    width: 'minmax(0, 5fr)',
    cell: (row) => (
      <>
        <TwoLines title={modelName(row)}>
          {modelName(row)}
          {row.requests > 1 ? <span className="text-soft"> × {count(row.requests)}</span> : null}
        </TwoLines>
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
    cell: ({ apiKey }) => (
      <span className="text-soft">
        <TwoLines title={apiKey?.name ?? 'Dashboard'}>{apiKey?.name ?? 'Dashboard'}</TwoLines>
      </span>
    ),
  },
  {
    name: 'in',
    title: <Unit of="Input" unit="tokens" />,
    width: '56px',
    align: 'right',
    wide: true,
    cell: ({ inputTokens }) => count(inputTokens),
  },
  {
    name: 'out',
    title: <Unit of="Output" unit="tokens" />,
    width: '56px',
    align: 'right',
    wide: true,
    cell: ({ outputTokens }) => count(outputTokens),
  },
  {
    name: 'first',
    title: 'First token',
    width: '68px',
    align: 'right',
    wide: true,
    cell: ({ firstTokenMs }) => (firstTokenMs == null ? '–' : duration(firstTokenMs)),
  },
  {
    name: 'duration',
    title: 'Duration',
    width: '64px',
    align: 'right',
    wide: true,
    cell: ({ durationMs }) => duration(durationMs),
  },
  {
    name: 'cost',
    title: 'Cost (USD)',
    width: '88px',
    align: 'right',
    cell: ({ cost, estimated }) => `${estimated ? '≈ ' : ''}${money(cost.amount)}`,
  },
];
