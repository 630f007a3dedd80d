import type { ReactNode } from 'react';
import { useQuery } from '../data/graphql/hooks.ts';
import { usePriceUnit } from '../data/price-unit.ts';
import { ModelListDocument, type ModelRowFragment } from '../generated/graphql.ts';
import { inputPrice, outputPrice } from '../pages/models/prices.ts';
import { Badge, BetaBadge } from './badge.tsx';
import { Combobox, ComboboxTrigger, ComboboxItem, ComboboxNote, useFirstResult } from './combobox.tsx';
import { words } from './format.ts';

const MAX_SHOWN = 50;

/**
 * Selects a model with the given capabilities, by any part of its name.
 * @param trigger a button; by default one with the selected model's name
 */
export function ModelPicker({
  capability,
  chosen,
  onChoose,
  without = [],
  trigger,
}: {
  readonly capability: string;
  readonly chosen: string | null;
  readonly onChoose: (model: ModelRowFragment) => void;
  readonly without?: readonly string[];
  readonly trigger?: ReactNode;
}): ReactNode {
  return (
    <Combobox
      title="Choose a model"
      label="Models"
      placeholder="Find a model …"
      trigger={
        trigger ?? (
          <ComboboxTrigger name="Model">
            <span className="min-w-0 flex-1 font-mono wrap-anywhere">{chosen ?? 'Choose a model'}</span>
            {chosen?.startsWith('sandbox/') ? <Badge tone="warn">Sandbox</Badge> : null}
          </ComboboxTrigger>
        )
      }
    >
      {(search, close) => (
        <Results
          capability={capability}
          search={search}
          without={without}
          onChoose={(model) => {
            close();
            onChoose(model);
          }}
        />
      )}
    </Combobox>
  );
}

function Results({
  capability,
  search,
  without,
  onChoose,
}: {
  readonly capability: string;
  readonly search: string;
  readonly without: readonly string[];
  readonly onChoose: (model: ModelRowFragment) => void;
}): ReactNode {
  const { data, failure, fetching, isCurrent } = useQuery(ModelListDocument, {
    filter: { capability, search: search === '' ? undefined : search },
    orderBy: 'ID',
    first: MAX_SHOWN,
  });
  const unit = usePriceUnit();
  const models = data?.models.nodes.filter(({ id }) => !without.includes(id));
  const first = models?.[0];
  // Models of an earlier search are shown until those of this one are loaded.
  useFirstResult(isCurrent && !fetching ? first?.id : null, () => (first ? onChoose(first) : undefined));
  return (
    <>
      {failure ? <p className="p-2 text-bad">{failure.message}</p> : null}
      {models?.length === 0 ? (
        <ComboboxNote>
          No connected provider has a matching model. Connect a provider or change the search.
        </ComboboxNote>
      ) : null}
      {models?.map((model) => (
        <ComboboxItem key={model.id} id={model.id} onChoose={() => onChoose(model)}>
          <span className="min-w-0 flex-1">
            <span className="flex flex-wrap items-center gap-x-1">
              <span className="min-w-0 wrap-anywhere">{model.name}</span>
              {model.id.startsWith('sandbox/') ? <Badge tone="warn">Sandbox</Badge> : null}
              <BetaBadge capabilities={model.capabilities} />
            </span>
            <span className="block text-small wrap-anywhere text-soft">
              <span className="font-mono">{model.id}</span> · {model.inputModalities.map(words).join(', ')} →{' '}
              {model.outputModalities.map(words).join(', ')}
            </span>
          </span>
          <span className="figures shrink-0 text-right text-small text-soft">
            {inputPrice(model.pricing, unit)} in
            <br />
            {outputPrice(model.pricing, unit)} out
          </span>
        </ComboboxItem>
      ))}
    </>
  );
}
