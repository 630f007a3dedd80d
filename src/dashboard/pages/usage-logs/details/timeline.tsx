import type { ReactNode } from 'react';
import { duration, utc } from '../../../design/format.ts';
import type { LogDetails } from './log-details.ts';
import { timelineOf } from './timeline-steps.ts';

/** The steps of a request, each with its time since the request arrived. */
export function Timeline({ log }: { readonly log: LogDetails }): ReactNode {
  return (
    <ol aria-label="Timeline" className="figures flex flex-col text-small">
      {timelineOf(log).map(({ name, note, at, isFailure }, index) => (
        <li key={index} className="flex gap-2 border-t border-line py-0.5">
          <time
            dateTime={new Date(Date.parse(log.createdAt) + at).toISOString()}
            title={utc(new Date(Date.parse(log.createdAt) + at).toISOString())}
            className="w-8 shrink-0 text-right text-soft"
          >
            {duration(at)}
          </time>
          <span className="min-w-0 flex-1 wrap-anywhere">
            <span className={isFailure ? 'text-bad' : ''}>{name}</span>{' '}
            {note === '' ? null : <span className="text-soft">{note}</span>}
          </span>
        </li>
      ))}
    </ol>
  );
}
