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
import { comparisonRows, metricsOf } from './comparison/metrics.ts';
import { ModelTable } from './comparison/model-table.tsx';
import { RunResults } from './results/run-results.tsx';
import { RunActions } from './run-actions.tsx';
import { hasEnded, RunProgress, RunStatusBadge, sumOf, totalCost, untilEnded } from './run-status.tsx';
import { scorerTitle } from './scorers.ts';
import type { DatasetRunSearch } from './search.ts';

type Run = NonNullable<DatasetRunPageQuery['datasetRun']>;

export function DatasetRunPage(): ReactNode {
  const { id, runId } = useParams({ from: '/shell/datasets/$id/runs/$runId' });
  return (
    <RequirePermission action="datasets.read" title="Run" icon={<FlaskConical size={24} />}>
      <LoadedRun key={runId} datasetId={id} runId={runId} />
    </RequirePermission>
  );
}

function LoadedRun({ datasetId, runId }: { readonly datasetId: string; readonly runId: string }): ReactNode {
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
          <Link
            to="/datasets/$id"
            params={{ id: datasetId }}
            search={{ tab: 'runs' }}
            className="text-accent underline underline-offset-2"
          >
            Show the runs of the dataset
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
  const search = useSearch({ from: '/shell/datasets/$id/runs/$runId' });
  const navigate = useNavigate({ from: '/datasets/$id/runs/$runId' });
  const { can } = usePermissions();
  const { id, name, models, scorers, failureReason } = run;
  const datasetId = run.dataset?.id ?? null;
  const metrics = useMemo(() => metricsOf(scorers), [scorers]);
  const order = useMemo(() => models.map(({ model }) => model), [models]);
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
          {datasetId === null ? null : (
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
            onClick={() => saveText('dataset-run.csv', csvOf(comparisonRows(metrics, models)))}
          >
            Export CSV
          </Button>
          {can('datasets.write') ? <RunActions run={run} datasetId={datasetId} /> : null}
        </>
      }
    >
      {failure}
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
                {each.waitingFor == null ? null : (
                  <p className="pt-0.5 text-small text-soft">
                    Requests wait and are sent again: <code className="wrap-anywhere">{each.waitingFor}</code>
                  </p>
                )}
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Comparison">
        <ModelTable
          models={models}
          metrics={metrics}
          marksBest={run.status === 'COMPLETED'}
          sort={{ by: search.sort, descends: search.descends === true }}
          onSort={({ by, descends }) => change({ sort: by, descends: descends ? true : undefined })}
        />
      </Section>
      {models.some(({ errors }) => errors.length > 0) ? (
        <Section title="Errors">
          <ErrorList models={models} />
        </Section>
      ) : null}
      <RunResults
        runId={id}
        datasetId={datasetId}
        models={order}
        ended={counts.completed + counts.failed + Number(isEnded)}
        isEnded={isEnded}
        search={search}
        onChange={change}
      />
    </Page>
  );
}

function Lead({ run }: { readonly run: Run }): ReactNode {
  const { status, itemCount, models, scorers, createdAt, completedAt, createdBy, temperature, maxTokens } = run;
  const cost = totalCost(models);
  const facts = [
    `${itemCount === 1 ? '1 item' : `${count(itemCount)} items`} × ${models.length === 1 ? '1 model' : `${count(models.length)} models`}`,
    ...(scorers.length === 0 ? [] : [scorers.map(scorerTitle).join(', ')]),
    ...(temperature == null ? [] : [`temperature ${temperature}`]),
    ...(maxTokens == null ? [] : [`max tokens ${count(maxTokens)}`]),
    ...(cost === null ? [] : [money(cost)]),
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
