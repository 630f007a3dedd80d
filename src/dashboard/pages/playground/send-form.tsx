import { Send, Square, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../design/button.tsx';
import { duration } from '../../design/format.ts';
import { Failed, Skeleton } from '../../design/state.tsx';
import { costText, ResponseMetrics } from './response-metrics.tsx';
import type { CallHandle } from './persistent-call.ts';

/** A form with its result below. */
export function SendForm<T>({
  called,
  input,
  canSend,
  label,
  onSend,
  fields,
  children,
  empty,
}: {
  readonly called: CallHandle<T>;
  /** The current input. A result of another input is shown with that input. */
  readonly input: string;
  readonly canSend: boolean;
  readonly label: string;
  readonly onSend: () => void;
  readonly fields: ReactNode;
  /** Renders the result. */
  readonly children: (value: T) => ReactNode;
  /** Text shown before the first result. */
  readonly empty: string;
}): ReactNode {
  const { result, failure, pending, stop, clear } = called;
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
            <Button variant="primary" type="submit" disabled={!canSend} icon={<Send size={16} aria-hidden />}>
              {label}
            </Button>
          )}
        </div>
      </form>
      <div role="region" aria-label="Result" aria-busy={pending} className="flex flex-col gap-1.5">
        {pending ? <Skeleton className="h-20" /> : null}
        {failure ? <Failed failure={failure} onRetry={onSend} /> : null}
        {result === null && !pending && !failure ? (
          <p className="rounded-medium bg-panel px-2 py-6 text-center text-soft">{empty}</p>
        ) : null}
        {result === null ? null : (
          <>
            {result.input === input ? null : (
              <p className="max-h-10 overflow-y-auto text-small wrap-anywhere whitespace-pre-wrap text-soft">
                Input: {result.input}
              </p>
            )}
            {children(result.value)}
            <div className="flex items-center gap-2">
              <div className="min-w-0 flex-1">
                <ResponseMetrics
                  metrics={[
                    ['Time', result.durationMs === null ? null : duration(result.durationMs)],
                    ['Cost', costText(result.cost)],
                  ]}
                />
              </div>
              <Button variant="quiet" onClick={clear} icon={<Trash2 size={16} aria-hidden />}>
                Clear result
              </Button>
            </div>
          </>
        )}
      </div>
    </div>
  );
}
