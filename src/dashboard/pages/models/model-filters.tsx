import type { ReactNode } from 'react';
import { useQuery } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { Select } from '../../design/field.tsx';
import { count, words } from '../../design/format.ts';
import { PriceUnitSelect } from '../../design/price-unit-select.tsx';
import { ModelProvidersDocument, ModelRegionsDocument, type ModelOrder } from '../../generated/graphql.ts';
import { usePermissions } from '../../shell/permissions.ts';
import { TextFilter } from '../usage-logs/text-filter.tsx';
import { contextSizes, inputPrices, modalities, orders, retentions, trainings, type ModelsSearch } from './search.ts';

const capabilities = [
  'chat',
  'tools',
  'json_schema',
  'reasoning',
  'vision',
  'embeddings',
  'images',
  'speech',
  'transcription',
  'moderation',
  'rerank',
  'video',
];
const MAX_SEARCH_LENGTH = 200;
const orderNames: Readonly<Record<ModelOrder, string>> = {
  ID: 'By name',
  NEWEST: 'Newest first',
  CONTEXT_WINDOW: 'Largest context first',
  INPUT_PRICE: 'Lowest input price first',
  OUTPUT_PRICE: 'Lowest output price first',
};
const noFilter: Partial<ModelsSearch> = {
  search: undefined,
  provider: undefined,
  capability: undefined,
  input: undefined,
  output: undefined,
  context: undefined,
  price: undefined,
  region: undefined,
  training: undefined,
  retention: undefined,
};

/** The filters and the order of the list. Their state is in the URL. */
export function ModelFilters({
  search,
  onChange,
}: {
  readonly search: ModelsSearch;
  readonly onChange: (next: Partial<ModelsSearch>) => void;
}): ReactNode {
  const { can } = usePermissions();
  const providers = useQuery(ModelProvidersDocument, {}, { pause: !can('connections.read') });
  const regions = useQuery(ModelRegionsDocument, {});
  const { provider, capability, input, output, context, price, region, training, retention } = search;
  const filters = [search.search, provider, capability, input, output, context, price, region, training, retention];
  const isFiltered = filters.some(Boolean);
  const knownRegions = new Set([...(regions.data?.modelRegions ?? []), ...(region === undefined ? [] : [region])]);
  return (
    <div
      role="search"
      aria-label="Find models"
      className="grid grid-cols-2 gap-1 md:grid-cols-[repeat(auto-fill,minmax(180px,1fr))]"
    >
      <TextFilter
        label="Find by name"
        value={search.search ?? ''}
        onChange={(typed) => onChange({ search: typed?.slice(0, MAX_SEARCH_LENGTH) })}
      />
      <Choice
        label="Provider"
        any="Any provider"
        value={provider}
        options={(providers.data?.providers ?? []).map(({ id, name }) => [id, name])}
        onChoose={(chosen) => onChange({ provider: chosen })}
      />
      <Choice
        label="Capability"
        any="All capabilities"
        value={capability}
        options={capabilities.map((each) => [each, words(each)])}
        onChoose={(chosen) => onChange({ capability: chosen })}
      />
      <Choice
        label="Input modality"
        any="Any input"
        value={input}
        options={modalities.map((each) => [each, `${words(each)} input`])}
        onChoose={(chosen) => onChange({ input: modalities.find((each) => each === chosen) })}
      />
      <Choice
        label="Output modality"
        any="Any output"
        value={output}
        options={modalities.slice(0, -1).map((each) => [each, `${words(each)} output`])}
        onChoose={(chosen) => onChange({ output: modalities.find((each) => each === chosen) })}
      />
      <Choice
        label="Context window"
        any="Any context"
        value={context}
        options={contextSizes.map((each) => [each, `At least ${count(Number(each))} tokens`])}
        onChoose={(chosen) => onChange({ context: contextSizes.find((each) => each === chosen) })}
      />
      <Choice
        label="Input price"
        any="Any price"
        value={price}
        options={inputPrices.map((each) => [each, each === '0' ? 'Free input' : `Input up to $${each} / 1M tokens`])}
        onChoose={(chosen) => onChange({ price: inputPrices.find((each) => each === chosen) })}
      />
      <Choice
        label="Region"
        any="Any region"
        value={region}
        options={[...knownRegions].map((each) => [each, each])}
        onChoose={(chosen) => onChange({ region: chosen })}
      />
      <Choice
        label="Data policy"
        any="Any data policy"
        value={training}
        options={trainings.map((each) => [each, 'Does not train'])}
        onChoose={(chosen) => onChange({ training: trainings.find((each) => each === chosen) })}
      />
      <Choice
        label="Retention"
        any="Any retention"
        value={retention}
        options={retentions.map((each) => [each, each === '0' ? 'Zero retention' : `At most ${each} days`])}
        onChoose={(chosen) => onChange({ retention: retentions.find((each) => each === chosen) })}
      />
      <Select
        label="Order"
        hidesLabel
        value={search.order ?? 'ID'}
        onChange={({ target }) => onChange({ order: orders.find((each) => each === target.value) })}
      >
        {orders.map((each) => (
          <option key={each} value={each}>
            {orderNames[each]}
          </option>
        ))}
      </Select>
      <PriceUnitSelect hidesLabel />
      {isFiltered ? (
        <Button variant="quiet" className="justify-self-start" onClick={() => onChange(noFilter)}>
          Clear filters
        </Button>
      ) : null}
    </div>
  );
}

function Choice({
  label,
  any,
  value,
  options,
  onChoose,
}: {
  readonly label: string;
  readonly any: string;
  readonly value: string | undefined;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChoose: (value: string | undefined) => void;
}): ReactNode {
  return (
    <Select label={label} hidesLabel value={value ?? ''} onChange={({ target }) => onChoose(target.value || undefined)}>
      <option value="">{any}</option>
      {options.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </Select>
  );
}
