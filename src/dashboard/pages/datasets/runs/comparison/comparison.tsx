import type { ReactNode } from 'react';
import { Checkbox } from '../../../../design/field.tsx';
import { count } from '../../../../design/format.ts';
import { Section } from '../../../../design/page.tsx';
import type { DatasetRunSearch } from '../search.ts';
import type { Comparability, ComparedModel, Metric } from './metrics.ts';
import { ModelTable } from './model-table.tsx';

/** The models compared, over the items that all of them completed unless the viewer wants the figures of all. */
export function Comparison({
  models,
  metrics,
  comparability,
  itemCount,
  isEnded,
  search: { sort, descends, own },
  onChange,
}: {
  readonly models: readonly ComparedModel[];
  readonly metrics: readonly Metric[];
  readonly comparability: Comparability | null;
  readonly itemCount: number;
  readonly isEnded: boolean;
  readonly search: DatasetRunSearch;
  readonly onChange: (next: Partial<DatasetRunSearch>) => void;
}): ReactNode {
  return (
    <Section title="Comparison">
      {comparability === null ? null : (
        <ComparedItems
          comparability={comparability}
          itemCount={itemCount}
          isOwn={own === true}
          onOwn={(isOwn) => onChange({ own: isOwn ? true : undefined })}
        />
      )}
      <ModelTable
        models={models}
        metrics={metrics}
        marksBest={isEnded}
        sort={{ by: sort, descends: descends === true }}
        onSort={(next) => onChange({ sort: next.by, descends: next.descends ? true : undefined })}
      />
    </Section>
  );
}

/** Says which items the values are of, where those are not all items. */
function ComparedItems({
  comparability: { items, differs },
  itemCount,
  isOwn,
  onOwn,
}: {
  readonly comparability: Comparability;
  readonly itemCount: number;
  readonly isOwn: boolean;
  readonly onOwn: (isOwn: boolean) => void;
}): ReactNode {
  if (items === 0)
    return (
      <p className="text-soft">
        No item was completed by all models. Only the numbers of requests are compared: the other values of each model
        are of its own items.
      </p>
    );
  const share = `${count(items)} of ${count(itemCount)} items that all models completed`;
  if (differs)
    return (
      <Checkbox
        label={`Only the ${share}`}
        hint={
          isOwn
            ? 'The values of each model are of its own items. Those of different items are not compared.'
            : 'Scores are of those of them for which all models have a score.'
        }
        checked={!isOwn}
        onChange={({ target }) => onOwn(!target.checked)}
      />
    );
  return items === itemCount ? null : <p className="text-soft">The values are of the {share}.</p>;
}
