import type { ReactNode } from 'react';
import { Badge } from '../../design/badge.tsx';
import { count, duration, money, words } from '../../design/format.ts';
import { modelStyle, type SeriesStyle } from '../../design/series-style.ts';
import { Filled } from '../../design/texture.tsx';
import type { SessionEntryFragment } from '../../generated/graphql.ts';
import { modelName, statusTones } from '../usage-logs/log-columns.tsx';
import { rowsOf, type TimedRequest } from './waterfall-rows.ts';

const failedStyle: SeriesStyle = { colour: 'var(--color-bad)', texture: 'solid' };
const waitStyle: SeriesStyle = { colour: 'var(--color-edge)', texture: 'solid' };
/** Deeper requests are indented no further, so that their names stay readable. */
const MAX_INDENT = 6;

/** Requests in the order of their tree, each with a bar of its time in the session. */
export function SessionWaterfall({
  entries,
  onOpen,
}: {
  readonly entries: readonly SessionEntryFragment[];
  /** @param id of the log entry */
  readonly onOpen: (id: string) => void;
}): ReactNode {
  return (
    <ol className="figures flex flex-col">
      {rowsOf(entries).map((row) =>
        row.kind === 'step' ? (
          <li key={row.key} className="border-t border-line px-1 pt-1 pb-0.5 text-small text-soft wrap-anywhere">
            {row.name}
          </li>
        ) : (
          <li key={row.key} className="border-t border-line">
            <RequestRow row={row} onOpen={() => onOpen(row.entry.request.id)} />
          </li>
        ),
      )}
    </ol>
  );
}

function RequestRow({ row, onOpen }: { readonly row: TimedRequest; readonly onOpen: () => void }): ReactNode {
  const { depth, request } = row.entry;
  const { status, inputTokens, outputTokens, durationMs, cost, estimated, capability } = request;
  const indent = `${Math.min(depth, MAX_INDENT) * 16}px`;
  return (
    <button
      type="button"
      onClick={onOpen}
      className="grid w-full grid-cols-[minmax(0,1fr)_max-content] items-center gap-x-2 gap-y-0.5 px-1 py-1 text-left -outline-offset-2 hover:bg-hover md:grid-cols-[minmax(0,5fr)_minmax(0,6fr)_128px_72px_88px]"
    >
      <span className="flex min-w-0 flex-wrap items-center gap-x-1" style={{ paddingLeft: indent }}>
        <span className="min-w-0 wrap-anywhere">{modelName(request)}</span>
        {capability === 'chat' ? null : <span className="text-small text-soft">{words(capability)}</span>}
        {status === 'SUCCEEDED' ? null : <Badge tone={statusTones[status]}>{words(status)}</Badge>}
      </span>
      <span className="max-md:order-last max-md:col-span-2">
        <TimeBar row={row} />
      </span>
      <span className="text-right text-small text-soft max-md:hidden">
        {count(inputTokens)} → {count(outputTokens)} tokens
      </span>
      <span className="text-right text-small text-soft max-md:hidden">{duration(durationMs)}</span>
      <span className="text-right">
        {estimated ? '≈ ' : ''}
        {money(cost.amount)}
      </span>
      <span className="col-span-2 flex gap-2 text-small text-soft md:hidden" style={{ paddingLeft: indent }}>
        <span>
          {count(inputTokens)} → {count(outputTokens)} tokens
        </span>
        <span className="ml-auto">{duration(durationMs)}</span>
      </span>
    </button>
  );
}

/** The wait for the first token is grey, a failed request red. */
function TimeBar({ row }: { readonly row: TimedRequest }): ReactNode {
  const { start, width, waited, entry } = row;
  const { status, model } = entry.request;
  const style = status === 'SUCCEEDED' || status === 'ABORTED' ? modelStyle(model) : failedStyle;
  return (
    <span className="block h-1 overflow-hidden rounded-small bg-hover">
      <span
        className="flex h-full overflow-hidden rounded-small"
        style={{ marginLeft: `min(${start * 100}%, calc(100% - 3px))`, width: `max(3px, ${width * 100}%)` }}
      >
        <span className="h-full" style={{ width: `${waited * 100}%` }}>
          <Filled style={waitStyle} />
        </span>
        <span className="h-full flex-1">
          <Filled style={style} />
        </span>
      </span>
    </span>
  );
}
