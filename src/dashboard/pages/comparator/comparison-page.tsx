import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Diff, RotateCw, Share2, Square, Trash2 } from 'lucide-react';
import { useCallback, useMemo, useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { useMutation, useQuery } from '../../data/graphql/hooks.ts';
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
import { usePermissions } from '../../shell/permissions.ts';
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
  const { id } = useParams({ from: '/shell/compare/$id' });
  const { data, failure, fetching, refetch } = useQuery(ComparisonPageDocument, { id });
  const comparison = data?.comparison ?? null;
  if (comparison) return <Loaded key={id} comparison={comparison} refetch={refetch} />;
  return (
    <Page title="Comparison">
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
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
  refetch,
}: {
  readonly comparison: ComparisonDetails;
  readonly refetch: () => void;
}): ReactNode {
  const { id, kind, isRunning } = comparison;
  const [overlay, setOverlay] = useState<'diff' | 'share' | 'delete' | null>(null);
  const [autoScrolls] = useState(isRunning);
  const navigate = useNavigate();
  const toast = useToast();
  const { lanes, failure } = useLanes(id, comparison.lanes, isRunning, refetch);
  const hasRunningLanes = lanes.some(({ status }) => status === 'RUNNING');
  const [cancel] = useMutation(CancelLanesDocument);
  const [vote] = useMutation(VoteComparisonDocument);
  const [withdraw] = useMutation(WithdrawVoteDocument);
  const [remove, isRemoving] = useMutation(DeleteComparisonDocument);
  const { votedFor, hasVoted } = comparison;
  const showFailure = useCallback(
    async (change: Promise<{ failure: Failure | null }>) => {
      const { failure: error } = await change;
      if (error) toast.failed(error);
    },
    [toast],
  );
  const actions = useMemo(
    () => ({
      cancel: (model: string) => void showFailure(cancel({ id, model })),
      vote: (model: string) => void showFailure(votedFor === model ? withdraw({ id }) : vote({ id, winner: model })),
    }),
    [id, votedFor, cancel, vote, withdraw, showFailure],
  );
  const { can } = usePermissions();
  const canRun = can('completions.run');
  const canWrite = can('comparisons.write');
  const isTie = hasVoted && votedFor == null;
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
          {!canRun ? null : hasRunningLanes ? (
            <Button icon={<Square size={12} aria-hidden />} onClick={() => void showFailure(cancel({ id }))}>
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
          {canWrite ? (
            <>
              <Button icon={<Share2 size={16} aria-hidden />} onClick={() => setOverlay('share')}>
                Share
              </Button>
              <Button variant="quiet" icon={<Trash2 size={16} aria-hidden />} onClick={() => setOverlay('delete')}>
                Delete
              </Button>
            </>
          ) : null}
        </>
      }
    >
      {canWrite ? <NameForm id={id} name={comparison.name ?? ''} /> : null}
      <Prompt content={comparison} />
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      <LaneGrid
        lanes={lanes}
        kind={kind}
        winner={comparison.winner ?? null}
        votedFor={votedFor ?? null}
        actions={canWrite ? actions : null}
        autoScrolls={autoScrolls}
        beside={
          <>
            {kind === 'CHAT' && lanes.length > 1 ? (
              <Button
                disabled={hasRunningLanes}
                icon={<Diff size={16} aria-hidden />}
                onClick={() => setOverlay('diff')}
              >
                Difference
              </Button>
            ) : null}
            {canWrite ? (
              <Button
                variant={isTie ? 'primary' : 'plain'}
                aria-pressed={isTie}
                disabled={hasRunningLanes}
                onClick={() => void showFailure(isTie ? withdraw({ id }) : vote({ id, winner: null }))}
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
        <Sharing id={id} isShared={comparison.sharedAt != null} onChanged={refetch} />
      </Dialog>
      <Dialog
        open={overlay === 'delete'}
        onClose={() => setOverlay(null)}
        title="Delete this comparison?"
        description="Its responses, files and votes are permanently deleted, and its link stops working."
      >
        <Button
          variant="danger"
          pending={isRemoving}
          onClick={() =>
            void showFailure(
              remove({ id }).then((change) => {
                if (change.data) void navigate({ to: '/compare' });
                return change;
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
