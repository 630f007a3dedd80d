import type { ReactNode } from 'react';
import { useQuery, useRetainedData } from '../../data/graphql/hooks.ts';
import { useRange } from '../../data/range.ts';
import { Section } from '../../design/page.tsx';
import { QueryContent } from '../../design/state.tsx';
import { ModelPerformanceDocument } from '../../generated/graphql.ts';
import { useViewer } from '../../shell/viewer.ts';
import { PerformanceRange, PerformanceView } from './performance-view.tsx';
import type { PerformanceSearch } from './search.ts';

export function ModelPerformance({
  model,
  search,
  onChange,
}: {
  readonly model: string;
  readonly search: PerformanceSearch;
  readonly onChange: (next: PerformanceSearch) => void;
}): ReactNode {
  const { currentAccount } = useViewer();
  const { from, to } = useRange(search.range ?? '7d', currentAccount);
  const result = useQuery(ModelPerformanceDocument, { model, range: { from, to } });
  return (
    <Section title="Performance" beside={<PerformanceRange search={search} onChange={onChange} />}>
      <QueryContent query={useRetainedData(result, model)} className="h-32">
        {({ modelPerformance }) => <PerformanceView report={modelPerformance} search={search} onChange={onChange} />}
      </QueryContent>
    </Section>
  );
}
