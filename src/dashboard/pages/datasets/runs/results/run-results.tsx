import { ListChecks } from 'lucide-react';
import { useDeferredValue, useEffect, useRef, type ReactNode } from 'react';
import { usePages } from '../../../../data/graphql/pages.ts';
import { Button } from '../../../../design/button.tsx';
import { Checkbox } from '../../../../design/field.tsx';
import { Section } from '../../../../design/page.tsx';
import { Empty, Failed, SkeletonRows } from '../../../../design/state.tsx';
import { DatasetRunResultsDocument, type DatasetRunResultPartsFragment } from '../../../../generated/graphql.ts';
import type { DatasetRunSearch } from '../search.ts';
import { ResultItem } from './result-item.tsx';

const PAGE_SIZE = 10;
const noResults = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } };

/** The outputs of all models, item by item. */
export function RunResults({
  runId,
  datasetId,
  models,
  ended,
  isEnded,
  search,
  onChange,
}: {
  readonly runId: string;
  /** Null after it was deleted. */
  readonly datasetId: string | null;
  /** In the order of the run. */
  readonly models: readonly string[];
  /** Number of requests that have ended. */
  readonly ended: number;
  /** Whether the run has ended. */
  readonly isEnded: boolean;
  readonly search: DatasetRunSearch;
  readonly onChange: (next: Partial<DatasetRunSearch>) => void;
}): ReactNode {
  const { failed = false, different = false, marked = false, item: openItem } = search;
  const { nodes, hasMore, hasFurtherPages, failure, isInFlight, fetchMore, refresh } = usePages(
    DatasetRunResultsDocument,
    { id: runId, first: PAGE_SIZE, onlyFailed: failed, onlyDifferent: different },
    ({ datasetRun }) => datasetRun?.results ?? noResults,
  );
  const isFiltered = failed || different;
  const isIncomplete = nodes !== null && (isFiltered || nodes.length === 0 || nodes.some(hasPending));
  // Several pages are read on demand, and once the run has ended.
  const isOnDemand = isIncomplete && hasFurtherPages && !isEnded;
  useRefetchAfter(ended, isIncomplete && !isOnDemand && !isInFlight, refresh);
  // What is marked is computed while the page responds.
  const isMarked = useDeferredValue(marked);
  const toggle = (name: 'failed' | 'different' | 'marked', isOn: boolean): void =>
    onChange({ [name]: isOn ? true : undefined, ...(name === 'marked' ? {} : { item: undefined }) });
  return (
    <Section title="Results by item">
      <div role="group" aria-label="Filters" className="flex flex-wrap gap-x-3 gap-y-1">
        <Checkbox label="Only failed" checked={failed} onChange={({ target }) => toggle('failed', target.checked)} />
        <Checkbox
          label="Only different outputs"
          checked={different}
          onChange={({ target }) => toggle('different', target.checked)}
        />
        <Checkbox
          label="Mark differences from the expected output"
          checked={marked}
          onChange={({ target }) => toggle('marked', target.checked)}
        />
      </div>
      {isOnDemand ? (
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Button pending={isInFlight} onClick={refresh}>
            Refresh
          </Button>
          <span className="text-soft">These results are updated when the run ends.</span>
        </div>
      ) : null}
      {failure ? <Failed failure={failure} onRetry={refresh} /> : null}
      {nodes === null && !failure ? <SkeletonRows rows={8} /> : null}
      {nodes?.length === 0 ? (
        <Empty icon={<ListChecks size={24} />} title={isFiltered ? 'No matching results' : 'No results yet'}>
          {isFiltered ? 'Remove a filter.' : 'Results appear here as requests end.'}
        </Empty>
      ) : null}
      <ol aria-label="Results" className="flex flex-col">
        {nodes?.map((result) => (
          <li key={result.position} className="border-t border-line py-2">
            <ResultItem
              result={result}
              datasetId={datasetId}
              models={models}
              isMarked={isMarked}
              isOpen={openItem === result.position}
              onOpen={(isOpen) => onChange({ item: isOpen ? result.position : undefined })}
            />
          </li>
        ))}
      </ol>
      {hasMore ? (
        <div>
          <Button onClick={fetchMore}>Load more</Button>
        </div>
      ) : null}
    </Section>
  );
}

function hasPending({ outputs }: DatasetRunResultPartsFragment): boolean {
  return outputs.some(({ status, judgement }) => status === 'PENDING' || judgement?.status === 'PENDING');
}

/** Refetches when `version` has changed, while `isActive`. */
function useRefetchAfter(version: number, isActive: boolean, refetch: () => void): void {
  const read = useRef(version);
  useEffect(() => {
    if (!isActive || read.current === version) return;
    read.current = version;
    refetch();
  }, [version, isActive, refetch]);
}
