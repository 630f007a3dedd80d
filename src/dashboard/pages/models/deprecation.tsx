import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Badge } from '../../design/badge.tsx';
import { calendarDate } from '../../design/format.ts';
import type { DeprecationPartsFragment } from '../../generated/graphql.ts';
import { modelParams } from './search.ts';

/** Whether the provider need not serve the model any more. */
function isShutDown({ shutdownAt }: DeprecationPartsFragment): boolean {
  return shutdownAt != null && Date.parse(shutdownAt) <= Date.now();
}

export function deprecationText(deprecation: DeprecationPartsFragment): string {
  const { shutdownAt } = deprecation;
  if (shutdownAt == null) return 'Deprecated';
  return `${isShutDown(deprecation) ? 'Shut down' : 'Shuts down'} ${calendarDate(shutdownAt)}`;
}

export function DeprecationBadge({ deprecation }: { readonly deprecation: DeprecationPartsFragment }): ReactNode {
  return <Badge tone={isShutDown(deprecation) ? 'bad' : 'warn'}>{deprecationText(deprecation)}</Badge>;
}

/** What is known of a deprecation, with its source. */
export function DeprecationNotice({
  model,
  deprecation,
}: {
  readonly model: string;
  readonly deprecation: DeprecationPartsFragment;
}): ReactNode {
  const { announcedAt, replacement, source, readAt } = deprecation;
  return (
    <div role="note" className="flex flex-col items-start gap-0.5 rounded-medium bg-warn-wash p-2 text-warn">
      <p className="font-strong wrap-anywhere">
        {model}: {deprecationText(deprecation)}
      </p>
      <p>
        {announcedAt == null ? '' : `Announced ${calendarDate(announcedAt)}. `}
        {isShutDown(deprecation)
          ? 'The provider need not serve it any more.'
          : 'The provider retires it: move its requests to another model.'}
        {replacement == null ? null : (
          <>
            {' '}
            The provider recommends{' '}
            <Link
              to="/models/$provider/$"
              params={modelParams(replacement)}
              className="font-mono text-small wrap-anywhere underline underline-offset-2"
            >
              {replacement}
            </Link>
            .
          </>
        )}
      </p>
      <p className="text-small">
        Source:{' '}
        <a href={source} target="_blank" rel="noreferrer" className="wrap-anywhere underline underline-offset-2">
          {source}
        </a>
        , read {calendarDate(readAt)}.
      </p>
    </div>
  );
}
