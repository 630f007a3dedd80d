import { CircleAlert, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Failure } from '../data/failure.ts';
import type { QueryState } from '../data/graphql/hooks.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';

/** Placeholder while content is loading. */
export function Skeleton({ className = '' }: { readonly className?: string }): ReactNode {
  return <div aria-hidden className={`animate-breathe rounded-small bg-hover ${className}`} />;
}

export function SkeletonRows({ rows = 6 }: { readonly rows?: number }): ReactNode {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-2 py-1.5">
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton
          key={index}
          className={`h-2.5 ${index % 3 === 0 ? 'w-full' : index % 3 === 1 ? 'w-11/12' : 'w-4/5'}`}
        />
      ))}
    </div>
  );
}

/** Shows the data, a placeholder while loading, or the failure. */
export function QueryContent<T>({
  query: { data, failure, refetch },
  className,
  children,
}: {
  readonly query: QueryState<T>;
  /** Size of the placeholder. */
  readonly className: string;
  readonly children: (data: T) => ReactNode;
}): ReactNode {
  if (data !== null) return children(data);
  if (failure) return <Failed failure={failure} onRetry={refetch} />;
  return (
    <div role="status" aria-label="Loading">
      <Skeleton className={`w-full ${className}`} />
    </div>
  );
}

/** Text for a chart or table without data. @param what in the plural: `requests` */
export function emptyText(what: string, isFiltered = false): string {
  return isFiltered ? `No ${what} in this period match the filters.` : `No ${what} in this period.`;
}

/** An empty state with the next step. */
export function Empty({
  icon,
  title,
  children,
  action,
}: {
  readonly icon: ReactNode;
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}): ReactNode {
  return (
    <div className="flex flex-col items-center gap-1 px-2 py-8 text-center">
      <div aria-hidden className="mb-1 grid size-6 place-items-center rounded-large bg-panel text-soft">
        {icon}
      </div>
      <h2 className="text-large">{title}</h2>
      <div className="max-w-[44ch] text-soft">{children}</div>
      {action ? <div className="mt-1.5">{action}</div> : null}
    </div>
  );
}

/** An error with its request ID and a retry button. */
export function Failed({ failure, onRetry }: { readonly failure: Failure; readonly onRetry?: () => void }): ReactNode {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-x-2 gap-y-1 rounded-medium bg-bad-wash p-2 text-bad">
      <CircleAlert size={16} aria-hidden className="shrink-0" />
      <div className="min-w-24 flex-1">
        <div>{failure.message}</div>
        {failure.requestId ? (
          <div className="flex items-center gap-0.5 font-mono text-small">
            {failure.requestId}
            <CopyButton text={failure.requestId} label="Copy request ID" />
          </div>
        ) : null}
      </div>
      {onRetry ? (
        <Button onClick={onRetry} icon={<RotateCw size={16} aria-hidden />}>
          Try again
        </Button>
      ) : null}
    </div>
  );
}
