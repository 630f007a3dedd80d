import type { ReactNode } from 'react';
import { duration } from '../../../design/format.ts';
import { modelStyle, type SeriesStyle } from '../../../design/series-style.ts';
import { Filled } from '../../../design/texture.tsx';
import type { LogDetails } from './log-details.ts';
import { barsOf, type Bar } from './waterfall-bars.ts';

const failedStyle: SeriesStyle = { colour: 'var(--color-bad)', texture: 'solid' };
const waitStyle: SeriesStyle = { colour: 'var(--color-edge)', texture: 'solid' };

/** A bar for each attempt. The last attempt has separate bars for time to first token and the response. */
export function Waterfall({ log }: { readonly log: LogDetails }): ReactNode {
  const bars = barsOf(log);
  const totalMs = Math.max(log.durationMs, ...bars.map(({ from, ms }) => from + ms), 1);
  return (
    <ol className="figures flex flex-col gap-1">
      {bars.map((bar, index) => (
        <li key={index} className="flex flex-col gap-0.25">
          <div className="flex justify-between gap-2 text-small">
            <span className="min-w-0 wrap-anywhere">
              {bar.name} <span className="text-soft">{bar.note}</span>
            </span>
            <span className="shrink-0 text-soft">{duration(bar.ms)}</span>
          </div>
          <div className="h-1 overflow-hidden rounded-small bg-hover">
            <div
              className="h-full overflow-hidden rounded-small"
              style={{
                marginLeft: `${(bar.from / totalMs) * 100}%`,
                width: `max(2px, ${(bar.ms / totalMs) * 100}%)`,
              }}
            >
              <Filled style={styleOf(bar, log.model)} />
            </div>
          </div>
        </li>
      ))}
    </ol>
  );
}

function styleOf({ kind }: Bar, model: string): SeriesStyle {
  if (kind === 'failed') return failedStyle;
  return kind === 'waiting' ? waitStyle : modelStyle(model);
}
