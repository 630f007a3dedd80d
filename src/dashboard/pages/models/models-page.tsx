import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Boxes, Columns3 } from 'lucide-react';
import { useCallback, useMemo, type ReactNode } from 'react';
import { useQuery } from '../../data/graphql/hooks.ts';
import { usePages } from '../../data/graphql/pages.ts';
import { priceUnitNames, usePriceUnit } from '../../data/price-unit.ts';
import { useRange } from '../../data/range.ts';
import { buttonClass } from '../../design/button.tsx';
import { Page } from '../../design/page.tsx';
import { VirtualRows } from '../../design/rows.tsx';
import { Empty, Failed, SkeletonRows } from '../../design/state.tsx';
import { MeasuredModelsDocument, ModelListDocument, type MeasuredModelsQuery } from '../../generated/graphql.ts';
import { useViewer } from '../../shell/viewer.ts';
import { modelColumns } from './model-columns.tsx';
import { ModelFilters } from './model-filters.tsx';
import { modelParams, MAX_COMPARED, type ModelsSearch } from './search.ts';

const PAGE_SIZE = 100;
/** Two lines for the name, and two for the id, or three on phones. */
const ROW_HEIGHTS_PX = { phone: 80, tablet: 64, desktop: 64 };
const none: readonly string[] = [];

export function ModelsPage(): ReactNode {
  const search = useSearch({ from: '/shell/models' });
  const navigate = useNavigate({ from: '/models' });
  const change = (next: Partial<ModelsSearch>): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  const list = usePages(
    ModelListDocument,
    {
      filter: {
        search: search.search,
        provider: search.provider,
        capability: search.capability,
        inputModality: search.input,
        outputModality: search.output,
        minContextWindow: search.context === undefined ? undefined : Number(search.context),
        maxInputPrice: search.price,
        region: search.region,
        trainsOnData: search.training === undefined ? undefined : false,
        maxRetentionDays: search.retention === undefined ? undefined : Number(search.retention),
      },
      orderBy: search.order ?? 'ID',
      first: PAGE_SIZE,
    },
    ({ models }) => models,
  );
  const total = list.first?.models.totalCount ?? 0;
  const marked = search.marked ?? none;
  const mark = useCallback(
    (id: string, isMarked: boolean) =>
      void navigate({
        search: (before) => {
          const others = (before.marked ?? []).filter((each) => each !== id);
          const next = isMarked ? [...others, id].slice(-MAX_COMPARED) : others;
          return { ...before, marked: next.length > 0 ? next : undefined };
        },
        replace: true,
      }),
    [navigate],
  );
  const { currentAccount } = useViewer();
  const { from, to } = useRange('30d', currentAccount);
  const usage = useQuery(MeasuredModelsDocument, { range: { from, to } });
  const unit = usePriceUnit();
  const isByPolicy = [search.region, search.training, search.retention].some((each) => each !== undefined);
  const columns = useMemo(
    () => modelColumns(marked, mark, latencyByModel(usage.data), unit, isByPolicy),
    [marked, mark, usage.data, unit, isByPolicy],
  );
  return (
    <Page
      title="Models"
      lead={`All available models, with prices in USD ${priceUnitNames[unit]}.`}
      actions={
        marked.length > 1 ? (
          <Link to="/models/compare" search={{ ids: marked }} className={buttonClass('primary')}>
            <Columns3 size={16} aria-hidden /> Compare {marked.length}
          </Link>
        ) : null
      }
    >
      <ModelFilters search={search} onChange={change} />
      {list.failure ? <Failed failure={list.failure} onRetry={list.refetch} /> : null}
      {list.nodes === null && !list.failure ? <SkeletonRows rows={8} /> : null}
      {list.nodes?.length === 0 ? (
        <Empty icon={<Boxes size={24} />} title="No matching models">
          Only models of connected providers are listed. Remove a filter or connect the provider.
        </Empty>
      ) : null}
      {list.nodes && list.nodes.length > 0 ? (
        <div>
          <VirtualRows
            label="Models"
            rows={list.nodes}
            columns={columns}
            keyOf={({ id }) => id}
            onOpen={({ id }) => void navigate({ to: '/models/$provider/$', params: modelParams(id) })}
            onNearEnd={list.fetchMore}
            heights={ROW_HEIGHTS_PX}
            className="max-h-[64dvh] min-h-40"
          />
          <p role="status" className="figures pt-1 text-small text-soft">
            {total} {total === 1 ? 'model' : 'models'}
          </p>
        </div>
      ) : null}
    </Page>
  );
}

/** Median time to first token over 30 days in ms, or median total time for models that do not stream. */
function latencyByModel(data: MeasuredModelsQuery | null): ReadonlyMap<string, number> {
  return new Map(
    data?.usage.groups.flatMap(({ model, usage }) => {
      const ms = usage.firstToken?.p50 ?? usage.latency?.p50;
      return model == null || ms === undefined ? [] : [[model, ms] as const];
    }),
  );
}
