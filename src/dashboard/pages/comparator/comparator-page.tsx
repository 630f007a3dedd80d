import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Columns3, Plus, Trophy, X } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { usePages } from '../../data/graphql/pages.ts';
import type { Failure } from '../../data/failure.ts';
import { Badge, SandboxBadge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Input, Select } from '../../design/field.tsx';
import { money } from '../../design/format.ts';
import { ModelPicker } from '../../design/model-picker.tsx';
import { Page, Section } from '../../design/page.tsx';
import { Empty, Failed, SkeletonRows } from '../../design/state.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { Textarea } from '../../design/textarea.tsx';
import { Time } from '../../design/time.tsx';
import {
  ComparisonListDocument,
  StartComparisonDocument,
  type ComparisonKind,
  type ComparisonListQuery,
  type StartComparisonInput,
} from '../../generated/graphql.ts';
import { NotAllowed } from '../../shell/notices/not-allowed.tsx';
import { usePermissions } from '../../shell/permissions.ts';
import { parametersOf } from '../playground/capabilities.ts';
import { newDraft, parametersIn } from '../playground/draft.ts';
import { ParameterFields } from '../playground/parameter-fields.tsx';
import { promptText } from './prompt.tsx';
import { capabilityOf, kinds, kindTitles, MAX_LANES, type ComparatorSearch } from './search.ts';

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
          onChoose={(next) => change({ kind: next, models: undefined })}
          tabs={kinds.map((each) => ({
            name: each,
            label: kindTitles[each],
            content: (
              <StartForm
                key={each}
                kind={each}
                models={search.models ?? []}
                onModels={(models) => change({ models: models.length > 0 ? models : undefined })}
              />
            ),
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

function StartForm({
  kind,
  models,
  onModels,
}: {
  readonly kind: ComparisonKind;
  readonly models: readonly string[];
  readonly onModels: (models: readonly string[]) => void;
}): ReactNode {
  const capability = capabilityOf[kind];
  const [draft, setDraft] = useState(() => {
    const initial = newDraft(capability);
    const sharedPrompt = decodeURIComponent(location.hash.slice(1));
    if (sharedPrompt === '') return initial;
    return kind === 'EMBEDDINGS'
      ? { ...initial, texts: sharedPrompt.split('\n') }
      : { ...initial, prompt: sharedPrompt };
  });
  const [start, pending] = useMutation(StartComparisonDocument);
  const [failure, setFailure] = useState<Failure | null>(null);
  const navigate = useNavigate();
  const [one = '', other = ''] = draft.texts;
  const hasPrompt = kind === 'EMBEDDINGS' ? one.trim() !== '' && other.trim() !== '' : draft.prompt.trim() !== '';
  const send = async (): Promise<void> => {
    const parameters = parametersIn(capability, draft);
    if (kind === 'SPEECH') parameters.voice ??= 'alloy';
    const input: StartComparisonInput = {
      kind,
      models: [...models],
      ...(kind === 'EMBEDDINGS' ? { texts: [one, other] } : { prompt: draft.prompt }),
      ...(Object.keys(parameters).length > 0 && { parameters }),
    };
    const result = await start({ input });
    setFailure(result.failure);
    if (result.data) void navigate({ to: '/compare/$id', params: { id: result.data.startComparison.id } });
  };
  return (
    <form
      className="flex flex-col gap-2 pt-2"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_296px]">
        <div className="flex min-w-0 flex-col gap-2">
          <div className="flex flex-col gap-0.5">
            <span className="font-strong">Models</span>
            <ul aria-label="Selected models" className="flex flex-wrap gap-1">
              {models.map((model) => (
                <li
                  key={model}
                  className="flex min-h-4.5 max-w-full items-center gap-1 rounded-medium border border-line bg-panel pl-1.5 max-md:min-h-5.5"
                >
                  <span className="min-w-0 font-mono wrap-anywhere">{model}</span>
                  <SandboxBadge model={model} />
                  <button
                    type="button"
                    aria-label={`Remove ${model}`}
                    onClick={() => onModels(models.filter((each) => each !== model))}
                    className="grid size-4 shrink-0 place-items-center rounded-medium text-soft hover:text-ink"
                  >
                    <X size={12} aria-hidden />
                  </button>
                </li>
              ))}
              {models.length < MAX_LANES ? (
                <li>
                  <ModelPicker
                    capability={capability}
                    chosen={null}
                    without={models}
                    onChoose={({ id }) => onModels([...models, id])}
                    trigger={<Button icon={<Plus size={16} aria-hidden />}>Add model</Button>}
                  />
                </li>
              ) : null}
            </ul>
          </div>
          {kind === 'EMBEDDINGS' ? (
            <div className="grid gap-1.5 md:grid-cols-2">
              <Textarea
                label="First text"
                value={one}
                onChange={({ target }) => setDraft({ ...draft, texts: [target.value, other] })}
              />
              <Textarea
                label="Second text"
                value={other}
                onChange={({ target }) => setDraft({ ...draft, texts: [one, target.value] })}
              />
            </div>
          ) : (
            <Textarea
              label={kind === 'SPEECH' ? 'Text' : 'Prompt'}
              rows={5}
              value={draft.prompt}
              onChange={({ target }) => setDraft({ ...draft, prompt: target.value })}
            />
          )}
          {failure ? <Failed failure={failure} /> : null}
          <div>
            <Button
              variant="primary"
              type="submit"
              pending={pending}
              disabled={models.length === 0 || !hasPrompt}
              icon={<Columns3 size={16} aria-hidden />}
            >
              {models.length > 1 ? `Compare ${models.length} models` : 'Run'}
            </Button>
          </div>
        </div>
        <details className="min-w-0">
          <summary className="mb-1.5 font-strong">Parameters for all models</summary>
          <ParameterFields
            parameters={parametersOf[capability]}
            values={draft.parameters}
            onChange={(parameters) => setDraft({ ...draft, parameters })}
          />
        </details>
      </div>
    </form>
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
