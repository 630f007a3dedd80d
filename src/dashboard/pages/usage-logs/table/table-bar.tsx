import { CirclePause, Radio, Rows3, Rows4 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, IconButton } from '../../../design/button.tsx';
import { Select } from '../../../design/field.tsx';
import { count } from '../../../design/format.ts';
import { sorts, type LogSort } from '../search.ts';
import { ColumnMenu } from './column-menu.tsx';
import type { LogView } from './log-view.ts';
import { Shortcuts } from './shortcuts.tsx';
import type { LogSelection } from '../dataset/selection.tsx';
import type { LiveTail } from './use-live-tail.ts';

const sortNames: Readonly<Record<LogSort, string>> = {
  time_desc: 'Newest first',
  time_asc: 'Oldest first',
  cost_desc: 'Highest cost',
  cost_asc: 'Lowest cost',
  duration_desc: 'Longest duration',
  duration_asc: 'Shortest duration',
  tokens_desc: 'Most tokens',
  tokens_asc: 'Fewest tokens',
};

/** What is shown of the log and how. Its height does not change. */
export function TableBar({
  view,
  sort,
  onSort,
  tail,
  isLive,
  canBeLive,
  onLive,
  selection,
}: {
  readonly view: LogView;
  readonly sort: LogSort;
  readonly onSort: (sort: LogSort) => void;
  readonly tail: LiveTail;
  readonly isLive: boolean;
  /** New requests have a place only where the newest are first and the period has no end. */
  readonly canBeLive: boolean;
  readonly onLive: (isLive: boolean) => void;
  /** Null where requests cannot be added to datasets. */
  readonly selection: LogSelection | null;
}): ReactNode {
  const isCompact = view.density === 'compact';
  return (
    <div role="toolbar" aria-label="Request log" className="flex flex-wrap items-center gap-1">
      <Button
        aria-pressed={isLive}
        disabled={!canBeLive}
        title={
          canBeLive
            ? 'Show new requests as they end. They wait while the list is being read.'
            : 'New requests are shown where the newest are first and the period has no end.'
        }
        icon={
          isLive && canBeLive ? (
            <Radio size={16} aria-hidden className="text-good" />
          ) : (
            <CirclePause size={16} aria-hidden />
          )
        }
        onClick={() => onLive(!isLive)}
      >
        Live
      </Button>
      <div role="status" className="figures flex-1">
        <Waiting tail={tail} />
      </div>
      <div className="w-24">
        <Select
          label="Sort by"
          hidesLabel
          value={sort}
          onChange={({ target }) => onSort(sorts.find((each) => each === target.value) ?? 'time_desc')}
        >
          {sorts.map((each) => (
            <option key={each} value={each}>
              {sortNames[each]}
            </option>
          ))}
        </Select>
      </div>
      {selection === null ? null : (
        <Button aria-pressed={selection.isOn} onClick={() => selection.setOn(!selection.isOn)}>
          Select
        </Button>
      )}
      <ColumnMenu view={view} />
      <IconButton
        label={isCompact ? 'Comfortable rows' : 'Compact rows'}
        onClick={() => view.setDensity(isCompact ? 'comfortable' : 'compact')}
      >
        {isCompact ? <Rows3 size={16} aria-hidden /> : <Rows4 size={16} aria-hidden />}
      </IconButton>
      <Shortcuts />
    </div>
  );
}

/** New requests that wait to be shown. */
function Waiting({ tail: { waiting, hasGap, failure, show } }: { readonly tail: LiveTail }): ReactNode {
  if (failure) return <span className="text-bad">{failure.message}</span>;
  if (waiting === 0 && !hasGap) return null;
  return (
    <Button variant="quiet" className="text-accent" onClick={show}>
      {hasGap ? 'Show new requests' : waiting === 1 ? 'Show 1 new request' : `Show ${count(waiting)} new requests`}
    </Button>
  );
}
