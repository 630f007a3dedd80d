import { Send, Square } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../design/button.tsx';
import { duration } from '../../design/format.ts';
import { Failed, Skeleton } from '../../design/state.tsx';
import { costText, Measures } from './measures.tsx';
import type { Called } from './use-call.ts';

/** What is asked above, what came of it below. */
export function SendForm<T>({
  called,
  canSend,
  label,
  onSend,
  fields,
  children,
  empty,
}: {
  readonly called: Called<T>;
  readonly canSend: boolean;
  readonly label: string;
  readonly onSend: () => void;
  readonly fields: ReactNode;
  /** What it came to. */
  readonly children: (value: T) => ReactNode;
  /** Says what will stand here. */
  readonly empty: string;
}): ReactNode {
  const { value, failure, pending, cost, durationMs, stop } = called;
  return (
    <div className="flex flex-col gap-3">
      <form
        className="flex flex-col gap-1.5"
        onSubmit={(event) => {
          event.preventDefault();
          if (!pending) onSend();
        }}
      >
        {fields}
        <div>
          {pending ? (
            <Button onClick={stop} icon={<Square size={12} aria-hidden />}>
              Stop
            </Button>
          ) : (
            <Button look="primary" type="submit" disabled={!canSend} icon={<Send size={16} aria-hidden />}>
              {label}
            </Button>
          )}
        </div>
      </form>
      <div role="region" aria-label="Result" aria-busy={pending} className="flex flex-col gap-1.5">
        {pending ? <Skeleton className="h-20" /> : null}
        {failure ? <Failed failure={failure} again={onSend} /> : null}
        {value === null && !pending && !failure ? (
          <p className="rounded-medium bg-panel px-2 py-6 text-center text-soft">{empty}</p>
        ) : null}
        {value !== null ? (
          <>
            {children(value)}
            <Measures
              measures={[
                ['Time', durationMs === null ? null : duration(durationMs)],
                ['Cost', costText(cost)],
              ]}
            />
          </>
        ) : null}
      </div>
    </div>
  );
}
