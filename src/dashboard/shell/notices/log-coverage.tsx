import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useQuery } from '../../data/graphql/hooks.ts';
import { calendarDate } from '../../design/format.ts';
import { LogCoverageDocument } from '../../generated/graphql.ts';
import { usePermissions } from '../permissions.ts';
import { useViewer } from '../viewer.ts';
import { archivedText } from './archived-text.ts';

interface Props {
  readonly from: string;
  /** Now if absent. */
  readonly to?: string | undefined;
  /** Further consequences for what is shown. */
  readonly children?: ReactNode;
}

/** Shown where the log no longer has all requests of the chosen time. */
export function LogCoverageNotice({ from, to, children }: Props): ReactNode {
  const { data } = useQuery(LogCoverageDocument, {});
  const { currentAccount } = useViewer();
  const { can } = usePermissions();
  const { keptFrom = null, archivedMonths = [] } = data?.usageLogCoverage ?? {};
  if (keptFrom === null || Date.parse(keptFrom) <= Date.parse(from)) return null;
  const end = to !== undefined && Date.parse(to) < Date.parse(keptFrom) ? to : keptFrom;
  const archived = archivedText(archivedMonths, from, end);
  const isOperator = currentAccount.isOperator && can('usage_archives.read');
  return (
    <p role="note" aria-label="Removed requests" className="text-soft">
      Requests before {calendarDate(keptFrom)} (UTC) are no longer in the log: their retention has ended.{' '}
      {archived === null ? null : (
        <>
          {archived} as Parquet files.{' '}
          {isOperator ? (
            <>
              <Link to="/settings" search={{ tab: 'account' }} className="underline underline-offset-2">
                Settings
              </Link>{' '}
              says where.{' '}
            </>
          ) : (
            'Ask the operator of this server for them. '
          )}
        </>
      )}
      {children}
    </p>
  );
}
