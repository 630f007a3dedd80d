import { Link, useSearch } from '@tanstack/react-router';
import { Columns3 } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { toFailure, type Failure } from '../../data/failure.ts';
import { useFetchQuery } from '../../data/graphql/hooks.ts';
import { usePriceUnit } from '../../data/price-unit.ts';
import { BetaBadge, SandboxBadge } from '../../design/badge.tsx';
import { buttonClass } from '../../design/button.tsx';
import { BreakableId } from '../../design/breakable-id.tsx';
import { calendarDate, count, words } from '../../design/format.ts';
import { Page } from '../../design/page.tsx';
import { Empty, Failed, SkeletonRows } from '../../design/state.tsx';
import { ComparedModelDocument, type ModelDetailsFragment } from '../../generated/graphql.ts';
import { PolicySource, regionText, retentionText, trainingText } from './data-policy.tsx';
import { deprecationText } from './deprecation.tsx';
import { allPrices } from './prices.ts';
import { modelParams } from './search.ts';

/** Models side by side: modalities, capabilities and prices. */
export function CompareModelsPage(): ReactNode {
  const { ids } = useSearch({ from: '/shell/models/compare' });
  const fetchModel = useFetchQuery(ComparedModelDocument);
  const [models, setModels] = useState<readonly ModelDetailsFragment[] | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const key = ids.join('\n');
  useEffect(() => {
    let isCurrent = true;
    setFailure(null);
    Promise.all(
      key
        .split('\n')
        .filter(Boolean)
        .map((id) => fetchModel({ id })),
    )
      .then((found) => (isCurrent ? setModels(found.flatMap(({ model }) => model ?? [])) : undefined))
      .catch((error: unknown) => (isCurrent ? setFailure(toFailure(error)) : undefined));
    return () => {
      isCurrent = false;
    };
  }, [key, fetchModel]);
  return (
    <Page
      title="Compare models"
      lead={
        <Link to="/models" search={{ marked: ids }} className="text-accent underline underline-offset-2">
          Change selection
        </Link>
      }
    >
      {failure ? <Failed failure={failure} /> : null}
      {models === null && !failure ? <SkeletonRows rows={10} /> : null}
      {models?.length === 0 ? (
        <Empty
          icon={<Columns3 size={24} />}
          title="No models selected"
          action={
            <Link to="/models" className={buttonClass('primary')}>
              Choose models
            </Link>
          }
        >
          Select two to eight models in the list, then compare them.
        </Empty>
      ) : null}
      {models && models.length > 0 ? <Table models={models} /> : null}
    </Page>
  );
}

/** Widths below which the table scrolls. */
const [NAMES_PX, MODEL_PX] = [130, 150] as const;

function Table({ models }: { readonly models: readonly ModelDetailsFragment[] }): ReactNode {
  const unit = usePriceUnit();
  const prices = models.map(({ pricing }) => new Map(allPrices(pricing, unit)));
  const priceNames = [...new Set(prices.flatMap((each) => [...each.keys()]))];
  const rows: (readonly [string, readonly ReactNode[]])[] = [
    ['Provider', models.map(({ provider }) => provider)],
    ['Context', models.map(({ contextWindow }) => tokensText(contextWindow))],
    ['Max output', models.map(({ maxOutputTokens }) => tokensText(maxOutputTokens))],
    ['Input modalities', models.map(({ inputModalities }) => inputModalities.map(words).join(', '))],
    ['Output modalities', models.map(({ outputModalities }) => outputModalities.map(words).join(', '))],
    ['Capabilities', models.map(({ capabilities }) => capabilities.map(words).join(', '))],
    ['Released', models.map(({ releasedAt }) => (releasedAt == null ? '–' : calendarDate(releasedAt)))],
    ['Deprecation', models.map(({ deprecation }) => (deprecation ? deprecationText(deprecation) : '–'))],
    ['Region', models.map(({ region }) => regionText(region))],
    ['Training', models.map(({ dataPolicy }) => trainingText(dataPolicy))],
    ['Retention', models.map(({ dataPolicy }) => retentionText(dataPolicy))],
    ['Policy source', models.map(({ id, dataPolicy }) => <PolicySource key={id} policy={dataPolicy} />)],
    ...priceNames.map((name) => [name, prices.map((each) => each.get(name) ?? '–')] as const),
    ['Price', models.map(priceState)],
  ];
  return (
    // Focusable, so that the keyboard can scroll it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Comparison">
      <table
        style={{ minWidth: `${NAMES_PX + models.length * MODEL_PX}px` }}
        className="w-full border-collapse text-left"
      >
        <caption className="sr-only">Models side by side</caption>
        <thead>
          <tr>
            <td />
            {models.map(({ id, name, capabilities }) => (
              <th key={id} scope="col" className="p-1 align-bottom">
                <Link
                  to="/models/$provider/$"
                  params={modelParams(id)}
                  className="text-accent underline underline-offset-2"
                >
                  {name}
                </Link>
                <div className="font-mono text-small font-normal text-soft">
                  <BreakableId id={id} />
                </div>
                <SandboxBadge model={id} /> <BetaBadge capabilities={capabilities} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, values]) => (
            <tr key={name} className="border-t border-line">
              <th scope="row" className="py-1 pr-2 align-top font-normal whitespace-nowrap text-soft">
                {name}
              </th>
              {values.map((value, index) => (
                <td key={models[index]?.id} className="p-1 align-top">
                  {value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function priceState({ pricing, isUnpriced }: ModelDetailsFragment): string {
  if (pricing) return pricing.version;
  return isUnpriced ? 'No price' : 'Free of charge';
}

function tokensText(tokens: number | null | undefined): string {
  return tokens == null ? '–' : `${count(tokens)} tokens`;
}
