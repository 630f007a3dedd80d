import { Link, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useQuery } from '../../data/graphql/hooks.ts';
import { Page } from '../../design/page.tsx';
import { Failed, SkeletonRows } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { SharedComparisonPageDocument } from '../../generated/graphql.ts';
import { Logo } from '../../shell/logo.tsx';
import { LaneGrid } from './lane-grid.tsx';
import { withoutStream } from './lanes.ts';
import { Prompt } from './prompt.tsx';
import { kindTitles } from './search.ts';

/** A shared comparison, without sign-in. */
export function SharedComparisonPage(): ReactNode {
  const token = useLocation({ select: ({ hash }) => hash });
  const { data, failure } = useQuery(SharedComparisonPageDocument, { token });
  const comparison = data?.sharedComparison ?? null;
  return (
    <main>
      <div className="flex items-center gap-1 border-b border-line px-5 py-1.5 font-strong max-md:px-2">
        <Logo />
        <Link to="/">Sluice</Link>
      </div>
      <Page
        title={comparison?.name ?? (comparison ? `${kindTitles[comparison.kind]} comparison` : 'Shared comparison')}
        lead={comparison ? <Time at={comparison.createdAt} /> : null}
      >
        {failure?.code === 'not_found' ? (
          <p>This link is not valid. It was revoked or replaced, or the comparison was deleted. Ask for a new link.</p>
        ) : failure ? (
          <Failed failure={failure} />
        ) : null}
        {!comparison && !failure ? <SkeletonRows rows={10} /> : null}
        {comparison ? (
          <>
            <Prompt content={comparison} />
            <LaneGrid
              lanes={comparison.lanes.map(withoutStream)}
              kind={comparison.kind}
              winner={comparison.winner ?? null}
              votedFor={null}
              actions={null}
              autoScrolls={false}
            />
          </>
        ) : null}
      </Page>
    </main>
  );
}
