import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Columns3, Trophy } from 'lucide-react';
import type { ReactNode } from 'react';
import { usePages } from '../../data/graphql/pages.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Input, Select } from '../../design/field.tsx';
import { money } from '../../design/format.ts';
import { Page, Section } from '../../design/page.tsx';
import { Empty, Failed, SkeletonRows } from '../../design/state.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { Time } from '../../design/time.tsx';
import { ComparisonListDocument, type ComparisonKind, type ComparisonListQuery } from '../../generated/graphql.ts';
import { NotAllowed } from '../../shell/notices/not-allowed.tsx';
import { usePermissions } from '../../shell/permissions.ts';
import { LoadedReplay } from '../playground/replay/loaded-replay.tsx';
import { ReplayNotice } from '../playground/replay/replay-notice.tsx';
import { promptText } from './prompt.tsx';
import { kinds, kindTitles, MAX_LANES, type ComparatorSearch } from './search.ts';
import { StartForm } from './start-form.tsx';

const PAGE_SIZE = 20;

/** The form that starts a comparison, and the list of stored comparisons. */
export function ComparatorPage(): ReactNode {
  const search = useSearch({ from: '/shell/compare' });
  const navigate = useNavigate({ from: '/compare' });
  const change = (next: Partial<ComparatorSearch>): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), hash: true, replace: true });
  const kind = search.kind ?? 'CHAT';
  const { can } = usePermissions();
  if (!can('comparisons.read'))
    return (
      <Page title="Compare">
        <NotAllowed action="comparisons.read" icon={<Columns3 size={24} />} />
      </Page>
    );
  return (
    <Page
      title="Compare"
      lead={`Send one prompt to up to ${MAX_LANES} models and compare their responses side by side.`}
    >
      {can('completions.run') ? (
        <Tabs
          label="Kind of comparison"
          chosen={kind}
          onChoose={(next) => change({ kind: next, models: undefined, replay: undefined })}
          tabs={kinds.map((each) => ({
            name: each,
            label: kindTitles[each],
            content: <Start key={each} kind={each} search={search} change={change} />,
          }))}
        />
      ) : (
        <NotAllowed action="completions.run" icon={<Columns3 size={24} />}>
          These roles can run comparisons. You can view existing comparisons.
        </NotAllowed>
      )}
      <PreviousComparisons search={search} change={change} />
    </Page>
  );
}

/** The form, which a logged request fills where the URL names one. */
function Start({
  kind,
  search: { models = [], replay: replayId },
  change,
}: {
  readonly kind: ComparisonKind;
  readonly search: ComparatorSearch;
  readonly change: (next: Partial<ComparatorSearch>) => void;
}): ReactNode {
  const props = {
    kind,
    models,
    onModels: (next: readonly string[]) => change({ models: next.length > 0 ? next : undefined }),
  };
  if (kind !== 'CHAT' || replayId === undefined) return <StartForm {...props} />;
  return (
    <div className="flex flex-col gap-2 pt-2">
      <LoadedReplay key={replayId} id={replayId}>
        {(replay) => (
          <>
            <ReplayNotice replay={replay} onClose={() => change({ replay: undefined })} />
            <StartForm {...props} replay={replay} />
          </>
        )}
      </LoadedReplay>
    </div>
  );
}

const onlyFilters = {
  shared: { isShared: true },
  voted: { isVoted: true },
  running: { isRunning: true },
} as const;

function PreviousComparisons({
  search,
  change,
}: {
  readonly search: ComparatorSearch;
  readonly change: (next: Partial<ComparatorSearch>) => void;
}): ReactNode {
  const list = usePages(
    ComparisonListDocument,
    { filter: { search: search.find, ...(search.only && onlyFilters[search.only]) }, first: PAGE_SIZE },
    ({ comparisons }) => comparisons,
  );
  const isFiltered = search.find !== undefined || search.only !== undefined;
  return (
    <Section
      title="Previous comparisons"
      beside={
        <div role="search" aria-label="Find comparisons" className="flex gap-1">
          <Input
            label="Search"
            hidesLabel
            type="search"
            placeholder="Search"
            defaultValue={search.find ?? ''}
            onChange={({ target }) => change({ find: target.value || undefined })}
          />
          <Select
            label="Filter"
            hidesLabel
            value={search.only ?? ''}
            onChange={({ target }) =>
              change({ only: (['shared', 'voted', 'running'] as const).find((each) => each === target.value) })
            }
          >
            <option value="">All</option>
            <option value="shared">Shared</option>
            <option value="voted">Voted on</option>
            <option value="running">Running</option>
          </Select>
        </div>
      }
    >
      {list.failure ? <Failed failure={list.failure} onRetry={list.refetch} /> : null}
      {list.nodes === null && !list.failure ? <SkeletonRows rows={4} /> : null}
      {list.nodes?.length === 0 ? (
        <Empty icon={<Columns3 size={24} />} title={isFiltered ? 'No matching comparisons' : 'No comparisons yet'}>
          {isFiltered
            ? 'Remove a filter.'
            : 'Choose two or more models above and enter a prompt. Comparisons are stored, so that you can vote on and share them.'}
        </Empty>
      ) : null}
      <ul className="flex flex-col">
        {list.nodes?.map((each) => (
          <li key={each.id}>
            <Row comparison={each} />
          </li>
        ))}
      </ul>
      {list.hasMore ? (
        <div>
          <Button onClick={list.fetchMore}>Show more</Button>
        </div>
      ) : null}
    </Section>
  );
}

type Row = ComparisonListQuery['comparisons']['nodes'][number];

function Row({ comparison }: { readonly comparison: Row }): ReactNode {
  const { id, kind, name, lanes, winner, createdAt, isRunning, sharedAt, cost } = comparison;
  return (
    <Link
      to="/compare/$id"
      params={{ id }}
      className="flex flex-wrap items-center gap-x-2 gap-y-0.5 rounded-medium p-1 hover:bg-hover"
    >
      <span className="min-w-0 flex-1 basis-40">
        <span className="line-clamp-3 wrap-anywhere">{name ?? promptText(comparison)}</span>
        <span className="block font-mono text-small wrap-anywhere text-soft">
          {lanes.map(({ model }) => model).join(', ')}
        </span>
      </span>
      {winner == null ? null : (
        <Badge tone="good" wraps>
          <Trophy size={12} aria-hidden className="shrink-0" /> {winner}
        </Badge>
      )}
      {isRunning ? <Badge tone="accent">Running</Badge> : null}
      {sharedAt == null ? null : <Badge>Shared</Badge>}
      <Badge>{kindTitles[kind]}</Badge>
      <span className="figures text-small text-soft">
        {money(cost.amount)} · <Time at={createdAt} as="relative" />
      </span>
    </Link>
  );
}
