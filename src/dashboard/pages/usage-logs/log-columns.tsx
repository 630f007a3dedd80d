import { Badge } from '../../design/badge.tsx';
import { count, duration, money, words } from '../../design/format.ts';
import { TwoLines, Unit, type Column } from '../../design/rows.tsx';
import { Time } from '../../design/time.tsx';
import type { RequestStatus, UsageLogPageQuery } from '../../generated/graphql.ts';
import { FeedbackCell } from './feedback/feedback-value.tsx';

/** A request in the table. */
export type LogRow = UsageLogPageQuery['usageLogs']['nodes'][number];

export const statusTones = {
  SUCCEEDED: 'good',
  FAILED: 'bad',
  ABORTED: 'warn',
  INTERRUPTED: 'warn',
  REJECTED: 'bad',
} as const satisfies Record<RequestStatus, string>;

/** For rejected requests only the requested name may be known, or none. */
export function modelName({ model, requestedModel }: Pick<LogRow, 'model' | 'requestedModel'>): string {
  return model || requestedModel || 'Unknown model';
}

/** A column that can be chosen. */
export interface LogColumn extends Column<LogRow> {
  /** In the list of columns. */
  readonly label: string;
  /** Its minimum width in pixels. */
  readonly minPx: number;
  /** Of the export. */
  readonly exported: readonly string[];
}

/** Without a price, a cost of $0.00 would look like a free request. */
export function costText({ cost, estimated, isUnpriced }: Pick<LogRow, 'cost' | 'estimated' | 'isUnpriced'>): string {
  if (isUnpriced && Number(cost.amount) === 0) return 'No price';
  return `${estimated ? '≈ ' : ''}${money(cost.amount)}`;
}

type Cell = (row: LogRow) => string | null | undefined;

/** Of fixed width, aligned to the right. */
function figure(name: string, label: string, px: number, cell: Cell, rest: Partial<LogColumn>): LogColumn {
  const column = { title: label, ...rest, name, label, width: `${px}px`, minPx: px, exported: rest.exported ?? [name] };
  return { ...column, align: 'right', cell: (row) => cell(row) ?? '–' };
}

/** Names that take the room that is left. */
function names(
  name: string,
  label: string,
  share: number,
  cell: Cell,
  exported: readonly string[],
  minPx = 64,
): LogColumn {
  return {
    name,
    label,
    title: label,
    width: `minmax(${minPx}px, ${share}fr)`,
    minPx,
    exported,
    cell: (row) => (
      <span className="text-soft">
        <TwoLines title={cell(row) ?? ''}>{cell(row) || '–'}</TwoLines>
      </span>
    ),
  };
}

const MODEL_PX = 112;

/** Every column, in the order of the table. */
export const logColumns: readonly LogColumn[] = [
  {
    name: 'time',
    label: 'Time',
    title: 'Time',
    width: '132px',
    minPx: 132,
    sort: 'time',
    exported: ['created_at'],
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
  {
    name: 'status',
    label: 'Status',
    title: 'Status',
    width: '88px',
    minPx: 88,
    exported: ['status'],
    cell: ({ status }) => <Badge tone={statusTones[status]}>{words(status)}</Badge>,
  },
  {
    name: 'model',
    label: 'Model',
    title: 'Model',
    width: `minmax(${MODEL_PX}px, 5fr)`,
    minPx: MODEL_PX,
    exported: ['model'],
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
  names('requested', 'Requested', 3, ({ requestedModel }) => requestedModel, ['requested_model']),
  names('provider', 'Provider', 2, ({ provider }) => provider, ['provider']),
  names('key', 'Key', 2, ({ apiKey }) => apiKey?.name ?? 'Dashboard', ['api_key_name']),
  names('capability', 'Capability', 2, ({ capability }) => words(capability), ['capability']),
  names('protocol', 'Protocol', 2, ({ protocol }) => protocol && words(protocol), ['protocol'], 96),
  names('endUser', 'End user', 2, ({ endUser }) => endUser, ['end_user']),
  names('session', 'Session', 2, ({ sessionId }) => sessionId, ['session_id']),
  names('error', 'Error', 2, ({ errorCode }) => errorCode, ['error_code']),
  {
    name: 'feedback',
    label: 'Feedback',
    title: 'Feedback',
    width: '104px',
    minPx: 104,
    exported: ['feedback'],
    cell: ({ feedback = [] }) => <FeedbackCell feedback={feedback} />,
  },
  figure('input', 'Input tokens', 56, ({ inputTokens }) => count(inputTokens), {
    title: <Unit of="Input" unit="tokens" />,
    exported: ['input_tokens'],
  }),
  figure('cached', 'Cached tokens', 56, ({ cachedTokens }) => count(cachedTokens), {
    title: <Unit of="Cached" unit="tokens" />,
    exported: ['cached_tokens'],
  }),
  figure('output', 'Output tokens', 56, ({ outputTokens }) => count(outputTokens), {
    title: <Unit of="Output" unit="tokens" />,
    exported: ['output_tokens'],
  }),
  figure('tokens', 'Total tokens', 64, ({ inputTokens, outputTokens }) => count(inputTokens + outputTokens), {
    title: <Unit of="Total" unit="tokens" />,
    sort: 'tokens',
    exported: ['input_tokens', 'output_tokens'],
  }),
  figure(
    'firstToken',
    'First token',
    68,
    ({ firstTokenMs }) => (firstTokenMs != null && duration(firstTokenMs)) || null,
    {
      exported: ['first_token_ms'],
    },
  ),
  figure('duration', 'Duration', 80, ({ durationMs }) => duration(durationMs), {
    sort: 'duration',
    exported: ['duration_ms'],
  }),
  figure('cost', 'Cost (USD)', 96, costText, {
    sort: 'cost',
    exported: ['cost_usd'],
  }),
  {
    ...names('finish', 'Finish reason', 1, ({ finishReason }) => finishReason && words(finishReason), [
      'finish_reason',
    ]),
    title: <Unit of="Finish" unit="reason" />,
  },
  names('requestId', 'Request ID', 3, ({ requestId }) => requestId, ['request_id']),
];

export const defaultColumns: readonly string[] = [
  'time',
  'status',
  'model',
  'key',
  'input',
  'output',
  'firstToken',
  'duration',
  'cost',
];
