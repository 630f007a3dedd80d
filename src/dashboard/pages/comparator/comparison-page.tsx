import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Diff, RotateCw, Share2, Square, Trash2 } from 'lucide-react';
import { useCallback, useMemo, useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { useChange, useRead } from '../../data/graphql/hooks.ts';
import { Button, buttonClass } from '../../design/button.tsx';
import { money } from '../../design/format.ts';
import { Dialog } from '../../design/overlay.tsx';
import { Page } from '../../design/page.tsx';
import { Failed, SkeletonRows } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { useToast } from '../../design/toast.tsx';
import {
  CancelLanesDocument,
  ComparisonPageDocument,
  DeleteComparisonDocument,
  VoteComparisonDocument,
  WithdrawVoteDocument,
  type ComparisonPageQuery,
} from '../../generated/graphql.ts';
import { usePowers } from '../../shell/powers.ts';
import { Difference } from './difference.tsx';
import { LaneGrid } from './lane-grid.tsx';
import { useLanes } from './lanes.ts';
import { NameForm } from './name-form.tsx';
import { Prompt, promptText } from './prompt.tsx';
import { kindTitles } from './search.ts';
import { Sharing } from './sharing.tsx';

type ComparisonDetails = NonNullable<ComparisonPageQuery['comparison']>;

/** A running or finished comparison. */
export function ComparisonPage(): ReactNode {
  const { id } = useParams({ from: '/signed/compare/$id' });
  const { data, failure, fetching, again } = useRead(ComparisonPageDocument, { id });
  const comparison = data?.comparison ?? null;
  if (comparison) return <Loaded key={id} comparison={comparison} again={again} />;
  return (
    <Page title="Comparison">
      {failure ? <Failed failure={failure} again={again} /> : null}
      {!failure && (fetching || !data) ? <SkeletonRows rows={10} /> : null}
      {data && !fetching ? (
        <p>
          Comparison not found in this account.{' '}
          <Link to="/compare" className="text-accent underline underline-offset-2">
            Show all comparisons
          </Link>
          .
        </p>
      ) : null}
    </Page>
  );
}

function Loaded({
  comparison,
  again,
}: {
  readonly comparison: ComparisonDetails;
  readonly again: () => void;
}): ReactNode {
  const { id, kind, isRunning } = comparison;
  const [overlay, setOverlay] = useState<'diff' | 'share' | 'delete' | null>(null);
  const [follows] = useState(isRunning);
  const navigate = useNavigate();
  const toast = useToast();
  const { lanes, failure } = useLanes(id, comparison.lanes, isRunning, again);
  const runs = lanes.some(({ status }) => status === 'RUNNING');
  const [cancel] = useChange(CancelLanesDocument);
  const [vote] = useChange(VoteComparisonDocument);
  const [withdraw] = useChange(WithdrawVoteDocument);
  const [remove, isRemoving] = useChange(DeleteComparisonDocument);
  const { votedFor, hasVoted } = comparison;
  const settle = useCallback(
    async (answer: Promise<{ failure: Failure | null }>) => {
      const { failure: fault } = await answer;
      if (fault) toast.failed(fault);
    },
    [toast],
  );
  const actions = useMemo(
    () => ({
      cancel: (model: string) => void settle(cancel({ id, model })),
      vote: (model: string) => void settle(votedFor === model ? withdraw({ id }) : vote({ id, winner: model })),
    }),
    [id, votedFor, cancel, vote, withdraw, settle],
  );
  const { may } = usePowers();
  const mayAsk = may('completions.run');
  const mayWrite = may('comparisons.write');
  const isDraw = hasVoted && votedFor == null;
  return (
    <Page
      title={comparison.name ?? `${kindTitles[kind]} comparison`}
      lead={
        <span className="flex flex-wrap gap-x-2 gap-y-0.5">
          <Link to="/compare" className="text-accent underline underline-offset-2">
            All comparisons
          </Link>
          <Time at={comparison.createdAt} />
          <span className="figures">{money(sumOf(lanes.map(({ cost }) => cost.amount)))} in total</span>
        </span>
      }
      actions={
        <>
          {!mayAsk ? null : runs ? (
            <Button icon={<Square size={12} aria-hidden />} onClick={() => void settle(cancel({ id }))}>
              Stop all
            </Button>
          ) : (
            <Link
              to="/compare"
              search={{ kind, models: lanes.map(({ model }) => model) }}
              hash={encodeURIComponent(promptText(comparison))}
              className={buttonClass()}
            >
              <RotateCw size={16} aria-hidden /> Run again
            </Link>
          )}
          {mayWrite ? (
            <>
              <Button icon={<Share2 size={16} aria-hidden />} onClick={() => setOverlay('share')}>
                Share
              </Button>
              <Button look="quiet" icon={<Trash2 size={16} aria-hidden />} onClick={() => setOverlay('delete')}>
                Delete
              </Button>
            </>
          ) : null}
        </>
      }
    >
      {mayWrite ? <NameForm id={id} name={comparison.name ?? ''} /> : null}
      <Prompt content={comparison} />
      {failure ? <Failed failure={failure} again={again} /> : null}
      <LaneGrid
        lanes={lanes}
        kind={kind}
        winner={comparison.winner ?? null}
        votedFor={votedFor ?? null}
        actions={mayWrite ? actions : null}
        follows={follows}
        beside={
          <>
            {kind === 'CHAT' && lanes.length > 1 ? (
              <Button disabled={runs} icon={<Diff size={16} aria-hidden />} onClick={() => setOverlay('diff')}>
                Difference
              </Button>
            ) : null}
            {mayWrite ? (
              <Button
                look={isDraw ? 'primary' : 'plain'}
                aria-pressed={isDraw}
                disabled={runs}
                onClick={() => void settle(isDraw ? withdraw({ id }) : vote({ id, winner: null }))}
              >
                Tie
              </Button>
            ) : null}
          </>
        }
      />
      <Dialog open={overlay === 'diff'} onClose={() => setOverlay(null)} title="Difference between two responses">
        <Difference lanes={lanes} />
      </Dialog>
      <Dialog open={overlay === 'share'} onClose={() => setOverlay(null)} title="Share this comparison">
        <Sharing id={id} isShared={comparison.sharedAt != null} onChanged={again} />
      </Dialog>
      <Dialog
        open={overlay === 'delete'}
        onClose={() => setOverlay(null)}
        title="Delete this comparison?"
        description="Its responses, files and votes are permanently deleted, and its link stops working."
      >
        <Button
          look="danger"
          pending={isRemoving}
          onClick={() =>
            void settle(
              remove({ id }).then((answer) => {
                if (answer.data) void navigate({ to: '/compare' });
                return answer;
              }),
            )
          }
        >
          Delete
        </Button>
      </Dialog>
    </Page>
  );
}

function sumOf(amounts: readonly string[]): number {
  return amounts.reduce((sum, each) => sum + Number(each), 0);
}
