import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Download, FlaskConical } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import { csvOf } from '../../../data/csv.ts';
import { useQuery } from '../../../data/graphql/hooks.ts';
import { useRefetchWhile } from '../../../data/graphql/refetch-while.ts';
import { saveText } from '../../../data/save-blob.ts';
import { Button, buttonClass } from '../../../design/button.tsx';
import { count, money } from '../../../design/format.ts';
import { Page, Section } from '../../../design/page.tsx';
import { Failed, SkeletonRows } from '../../../design/state.tsx';
import { Time } from '../../../design/time.tsx';
import { DatasetRunPageDocument, type DatasetRunPageQuery } from '../../../generated/graphql.ts';
import { RequirePermission } from '../../../shell/notices/not-allowed.tsx';
import { usePermissions } from '../../../shell/permissions.ts';
import { ErrorList } from './comparison/error-list.tsx';
import { Comparison } from './comparison/comparison.tsx';
import { comparabilityOf, comparisonRows, metricsOf, withCommonFigures, withOwnFigures } from './comparison/metrics.ts';
import { RunResults } from './results/run-results.tsx';
import { RunActions } from './run-actions.tsx';
import { hasEnded, judgeCost, RunProgress, RunStatusBadge, sumOf, totalCost, untilEnded } from './run-status.tsx';
import { scorerTitle } from './scorers.ts';
import type { DatasetRunSearch } from './search.ts';

type Run = NonNullable<DatasetRunPageQuery['datasetRun']>;

export function DatasetRunPage(): ReactNode {
  const { runId } = useParams({ from: '/shell/datasets/runs/$runId' });
  return (
    <RequirePermission action="datasets.read" title="Run" icon={<FlaskConical size={24} />}>
      <LoadedRun key={runId} runId={runId} />
    </RequirePermission>
  );
}

function LoadedRun({ runId }: { readonly runId: string }): ReactNode {
  const query = useQuery(DatasetRunPageDocument, { id: runId });
  const { data, failure, refetch } = query;
  const run = data?.datasetRun ?? null;
  useRefetchWhile(run !== null && !hasEnded(run), query, untilEnded);
  if (run !== null) return <Run run={run} failure={failure ? <Failed failure={failure} onRetry={refetch} /> : null} />;
  return (
    <Page title="Run">
      {failure ? (
        <Failed failure={failure} onRetry={refetch} />
      ) : data ? (
        <p>
          Run not found in this account.{' '}
          <Link to="/datasets/runs" className="text-accent underline underline-offset-2">
            Show all runs
          </Link>
          .
        </p>
      ) : (
        <SkeletonRows rows={8} />
      )}
    </Page>
  );
}

function Run({ run, failure }: { readonly run: Run; readonly failure: ReactNode }): ReactNode {
  const search = useSearch({ from: '/shell/datasets/runs/$runId' });
  const navigate = useNavigate({ from: '/datasets/runs/$runId' });
  const { can } = usePermissions();
  const { id, name, models, scorers, failureReason } = run;
  const datasetId = run.dataset?.id ?? null;
  const metrics = useMemo(() => metricsOf(scorers), [scorers]);
  const order = useMemo(() => models.map(({ model }) => model), [models]);
  const comparability = comparabilityOf(models, scorers);
  const isCommon = comparability?.differs === true && comparability.items > 0 && search.own !== true;
  const compared = isCommon ? withCommonFigures(models) : withOwnFigures(models);
  const isEnded = hasEnded(run);
  const counts = sumOf(models);
  const change = (next: Partial<DatasetRunSearch>): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false });
  return (
    <Page
      title={name}
      lead={<Lead run={run} />}
      actions={
        <>
          {datasetId === null ? (
            <Link to="/datasets/runs" className={buttonClass('quiet')}>
              All runs
            </Link>
          ) : (
            <Link
              to="/datasets/$id"
              params={{ id: datasetId }}
              search={{ tab: 'runs' }}
              className={buttonClass('quiet')}
            >
              All runs
            </Link>
          )}
          <Button
            icon={<Download size={16} aria-hidden />}
            onClick={() => saveText('dataset-run.csv', csvOf(comparisonRows(metrics, compared)))}
          >
            Export CSV
          </Button>
          {can('datasets.write') ? <RunActions run={run} datasetId={datasetId} /> : null}
        </>
      }
    >
      {failure}
      {datasetId === null ? (
        <p className="text-soft">
          The dataset was deleted, with the items and outputs of this run. Its figures remain.
        </p>
      ) : null}
      {failureReason == null ? null : (
        <p role="alert" className="rounded-medium bg-bad-wash p-2 wrap-anywhere text-bad">
          {failureReason}
        </p>
      )}
      {isEnded ? null : (
        <Section title="Progress">
          <ul className="grid gap-x-3 gap-y-1.5 md:grid-cols-[repeat(auto-fill,minmax(256px,1fr))]">
            {models.map((each) => (
              <li key={each.model} className="min-w-0">
                <div className="font-mono wrap-anywhere">{each.model}</div>
                <RunProgress counts={each} label={`Requests of ${each.model} that have ended`} />
                <Waiting code={each.waitingFor} />
                {each.judge == null ? null : (
                  <>
                    <div className="pt-0.5 text-small text-soft">Judge</div>
                    <RunProgress
                      counts={{ total: each.completed, completed: each.judge.scored, failed: each.judge.failed }}
                      label={`Outputs of ${each.model} that are judged`}
                    />
                    <Waiting code={each.judge.waitingFor} />
                  </>
                )}
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Comparison
        models={compared}
        metrics={metrics}
        comparability={comparability}
        itemCount={run.itemCount}
        isEnded={isEnded}
        search={search}
        onChange={change}
      />
      {run.judge == null ? null : (
        <Section title="Judge">
          <p className="font-mono wrap-anywhere">{run.judge.model}</p>
          <p className="whitespace-pre-wrap wrap-anywhere">{run.judge.rubric}</p>
        </Section>
      )}
      {models.some(({ errors, judge }) => errors.length > 0 || (judge?.errors.length ?? 0) > 0) ? (
        <Section title="Errors">
          <ErrorList models={models} />
        </Section>
      ) : null}
      {datasetId === null ? null : (
        <RunResults
          runId={id}
          datasetId={datasetId}
          models={order}
          ended={counts.completed + counts.failed + judgedOf(models) + Number(isEnded)}
          isEnded={isEnded}
          search={search}
          onChange={change}
        />
      )}
    </Page>
  );
}

/** Number of outputs that are judged. */
function judgedOf(models: Run['models']): number {
  return models.reduce((sum, { judge }) => sum + (judge?.scored ?? 0) + (judge?.failed ?? 0), 0);
}

function Waiting({ code }: { readonly code: string | null | undefined }): ReactNode {
  if (code == null) return null;
  return (
    <p className="pt-0.5 text-small text-soft">
      Requests wait and are sent again: <code className="wrap-anywhere">{code}</code>
    </p>
  );
}

function Lead({ run }: { readonly run: Run }): ReactNode {
  const { status, itemCount, models, scorers, createdAt, completedAt, createdBy, temperature, maxTokens } = run;
  const cost = totalCost(models);
  const costOfJudge = judgeCost(models);
  const facts = [
    `${itemCount === 1 ? '1 item' : `${count(itemCount)} items`} × ${models.length === 1 ? '1 model' : `${count(models.length)} models`}`,
    ...(scorers.length === 0 ? [] : [scorers.map(scorerTitle).join(', ')]),
    ...(temperature == null ? [] : [`temperature ${temperature}`]),
    ...(maxTokens == null ? [] : [`max tokens ${count(maxTokens)}`]),
    ...(cost === null ? [] : [money(cost)]),
    ...(costOfJudge === null ? [] : [`judge ${money(costOfJudge)}`]),
  ];
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
      <span role="status">
        <RunStatusBadge status={status} />
      </span>
      <span className="figures min-w-0 wrap-anywhere">{facts.join(' · ')}</span>
      <span>
        Created <Time at={createdAt} />
        {createdBy ? ` by ${createdBy.name}` : ''}
        {completedAt == null ? null : (
          <>
            , ended <Time at={completedAt} />
          </>
        )}
      </span>
    </div>
  );
}
