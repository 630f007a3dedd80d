import { ArrowDown, ArrowUp, Trophy } from 'lucide-react';
import type { ReactNode } from 'react';
import { SandboxBadge } from '../../../../design/badge.tsx';
import { BreakableId } from '../../../../design/breakable-id.tsx';
import { count } from '../../../../design/format.ts';
import { modelStyle } from '../../../../design/series-style.ts';
import { Swatch } from '../../../../design/texture.tsx';
import { bestOf, sortedBy, type ComparedModel, type Metric } from './metrics.ts';

export interface Sort {
  /** Name of a metric, or `model`; undefined for the order of the run. */
  readonly by: string | undefined;
  readonly descends: boolean;
}

/** A row per model. The best value of each column is marked. */
export function ModelTable({
  models,
  metrics,
  marksBest,
  sort,
  onSort,
}: {
  readonly models: readonly ComparedModel[];
  readonly metrics: readonly Metric[];
  /** Values of a run that has not ended change. */
  readonly marksBest: boolean;
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
}): ReactNode {
  const best = new Map(metrics.map((metric) => [metric.name, marksBest ? bestOf(metric, models) : null]));
  const title = (name: string, text: string, isBestHigh: boolean, align = 'text-right'): ReactNode => (
    <th
      key={name}
      scope="col"
      aria-sort={sort.by === name ? (sort.descends ? 'descending' : 'ascending') : undefined}
      className={`min-w-8 px-1 py-0.5 align-bottom font-normal ${align}`}
    >
      <button
        type="button"
        onClick={() => onSort(nextSort(sort, name, isBestHigh))}
        className={`inline-flex items-center gap-0.25 rounded-small hover:text-ink ${sort.by === name ? 'font-strong text-ink' : ''}`}
      >
        {text}
        {sort.by === name ? (
          sort.descends ? (
            <ArrowDown size={12} aria-hidden className="shrink-0" />
          ) : (
            <ArrowUp size={12} aria-hidden className="shrink-0" />
          )
        ) : null}
      </button>
    </th>
  );
  return (
    // Focusable, so that the keyboard can scroll it. Texts for screen readers are positioned within it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="relative overflow-x-auto" tabIndex={0} role="region" aria-label="Comparison of the models">
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">Models of the run</caption>
        <thead className="text-small text-soft">
          <tr>
            {title('model', 'Model', false, 'sticky left-0 z-10 bg-page text-left')}
            {metrics.map(({ name, title: text, best: which }) => title(name, text, which === 'highest'))}
          </tr>
        </thead>
        <tbody>
          {sorted(models, metrics, sort).map((model) => (
            <tr key={model.model} className="border-t border-line">
              <th scope="row" className="sticky left-0 z-10 min-w-16 bg-page py-0.75 pr-1 pl-1 align-top font-normal">
                <span className="flex items-start gap-0.75">
                  <span className="mt-0.5 flex shrink-0">
                    <Swatch style={modelStyle(model.model)} />
                  </span>
                  <span className="min-w-0 font-mono wrap-anywhere">
                    <BreakableId id={model.model} />
                  </span>
                </span>
                <SandboxBadge model={model.model} />
              </th>
              {metrics.map((metric) => (
                <td key={metric.name} className="px-1 py-0.75 text-right align-top whitespace-nowrap">
                  <Value metric={metric} model={model} best={best.get(metric.name) ?? null} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Value({
  metric: { value, format, itemsOf },
  model,
  best,
}: {
  readonly metric: Metric;
  readonly model: ComparedModel;
  readonly best: number | null;
}): ReactNode {
  const own = value(model);
  if (own === null) return <span className="text-soft">–</span>;
  const items = itemsOf?.(model) ?? null;
  return (
    <>
      {own === best ? (
        <span className="inline-flex items-center gap-0.5 font-strong text-good">
          <Trophy size={12} aria-hidden className="shrink-0" />
          <span className="sr-only">Best:</span>
          {format(own)}
        </span>
      ) : (
        format(own)
      )}
      {items === null ? null : <span className="text-small text-soft"> of {count(items)}</span>}
    </>
  );
}

/** First the better values at the top, then the others, then the order of the run. */
function nextSort({ by, descends }: Sort, name: string, isBestHigh: boolean): Sort {
  if (by !== name) return { by: name, descends: isBestHigh };
  return descends === isBestHigh ? { by, descends: !descends } : { by: undefined, descends: false };
}

function sorted(
  models: readonly ComparedModel[],
  metrics: readonly Metric[],
  { by, descends }: Sort,
): readonly ComparedModel[] {
  if (by === 'model') return models.toSorted((one, other) => (descends ? -1 : 1) * (one.model < other.model ? -1 : 1));
  return sortedBy(metrics.find(({ name }) => name === by) ?? null, descends, models);
}
