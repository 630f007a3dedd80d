import type { ReactNode } from 'react';
import { duration } from '../../design/format.ts';
import { modelStyle, type SeriesStyle } from '../../design/series-style.ts';
import { Filled } from '../../design/texture.tsx';
import type { LogDetails } from './log-drawer.tsx';

interface Bar {
  readonly name: string;
  readonly note: string;
  readonly from: number;
  readonly ms: number;
  readonly style: SeriesStyle;
}

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
              <Filled style={bar.style} />
            </div>
          </div>
        </li>
      ))}
    </ol>
  );
}

function barsOf(log: LogDetails): Bar[] {
  const bars: Bar[] = [];
  let at = 0;
  const failed = log.attempts.slice(0, -1);
  for (const attempt of failed) {
    bars.push({
      name: attempt.model,
      note: attempt.error ?? (attempt.status == null ? 'no response' : `HTTP ${attempt.status}`),
      from: at,
      ms: attempt.durationMs,
      style: failedStyle,
    });
    at += attempt.durationMs;
  }
  const last = log.attempts.at(-1);
  const note = last?.error ?? (last?.status == null ? '' : `HTTP ${last.status}`);
  const rest = Math.max(0, log.durationMs - at);
  const wait = log.firstTokenMs == null ? null : Math.max(0, log.firstTokenMs - at);
  const name = last?.model ?? log.model;
  const style = log.status === 'FAILED' ? failedStyle : modelStyle(log.model);
  if (wait === null || wait >= rest) return [...bars, { name, note, from: at, ms: rest, style }];
  return [
    ...bars,
    { name: 'Time to first token', note: name, from: at, ms: wait, style: waitStyle },
    { name: 'Response', note, from: at + wait, ms: rest - wait, style },
  ];
}
