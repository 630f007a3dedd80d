import type { ReactNode } from 'react';
import { useQuery } from '../../data/graphql/hooks.ts';
import { count, fileSize, money } from '../../design/format.ts';
import { Section } from '../../design/page.tsx';
import { Failed } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { UsageArchivesDocument, type UsageArchivesQuery } from '../../generated/graphql.ts';
import { usePermissions } from '../../shell/permissions.ts';
import { useViewer } from '../../shell/viewer.ts';

type Archive = UsageArchivesQuery['usageArchives'][number];

/** For the operator: archived months of the usage log. Renders nothing when there are none. */
export function UsageArchives(): ReactNode {
  const { currentAccount } = useViewer();
  const { can } = usePermissions();
  return currentAccount.isOperator && can('usage_archives.read') ? <List /> : null;
}

function List(): ReactNode {
  const { data, failure, refetch } = useQuery(UsageArchivesDocument, {});
  const archives = data?.usageArchives ?? [];
  if (archives.length === 0 && !failure) return null;
  return (
    <Section title="Usage archive">
      <p className="text-soft">
        Months of the usage log that <code>sluice usage archive</code> wrote as Parquet files, with the requests of all
        accounts.
      </p>
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      <ul aria-label="Archived months" className="flex flex-col">
        {archives.toReversed().map((archive) => (
          <Row key={archive.month} archive={archive} />
        ))}
      </ul>
    </Section>
  );
}

function Row({ archive }: { readonly archive: Archive }): ReactNode {
  const { month, location, parts, rows, cost, bytes, incompleteAccounts, archivedAt } = archive;
  return (
    <li className="flex flex-col border-t border-line py-1.5">
      <div className="flex flex-wrap gap-x-2">
        <span className="figures font-strong">{month}</span>
        <span className="figures">
          {count(rows)} rows, {money(cost.amount)}, {fileSize(bytes)} in {count(parts)} {parts === 1 ? 'file' : 'files'}
        </span>
      </div>
      <div className="text-small text-soft wrap-anywhere">
        {`${location.replace(/\/$/, '')}/usage/month=${month}/`}, archived <Time at={archivedAt} as="relative" />
      </div>
      {incompleteAccounts > 0 ? (
        <div className="text-small text-warn">
          {incompleteAccounts === 1 ? 'One account' : `${count(incompleteAccounts)} accounts`} may lack rows that were
          removed before.
        </div>
      ) : null}
    </li>
  );
}
