import type { ReactNode } from 'react';
import { numberOf, textOf } from '../../data/form.ts';
import { useQuery } from '../../data/graphql/hooks.ts';
import { FieldGroup, Input, Select } from '../../design/field.tsx';
import {
  AlertKeysDocument,
  type AlertConditionInput,
  type AlertKind,
  type AlertMeasure,
  type AlertRulePartsFragment,
} from '../../generated/graphql.ts';
import { usePermissions } from '../../shell/permissions.ts';
import { ModelInput } from '../routes/model-input.tsx';
import { kindTexts, windows, windowText } from './alert-texts.ts';

const percentiles = [50, 90, 95, 99] as const;
const measures: readonly (readonly [AlertMeasure, string])[] = [
  ['DURATION', 'Duration'],
  ['FIRST_TOKEN', 'Time to first token'],
];

/** The threshold of a rule and which usage it watches. */
export function ConditionFields({
  kind,
  rule,
}: {
  readonly kind: AlertKind;
  readonly rule: AlertRulePartsFragment | null;
}): ReactNode {
  const texts = kindTexts[kind];
  return (
    <>
      <div className="grid gap-1.5 md:grid-cols-2">
        <Input
          label={texts.threshold}
          name="threshold"
          type="number"
          required
          min={0}
          max={texts.maxThreshold}
          step="any"
          defaultValue={rule?.threshold ?? texts.defaultThreshold}
        />
        <Input
          label={texts.resolve}
          name="resolveThreshold"
          type="number"
          min={0}
          step="any"
          defaultValue={rule?.resolveThreshold}
          placeholder={kind === 'PROVIDER_DOWN' ? 'At the next success' : 'The threshold'}
          hint="A distance to the threshold prevents repeated alerts."
        />
        {texts.hasWindow ? (
          <Select label="Window" name="windowMinutes" defaultValue={rule?.windowMinutes ?? 60}>
            {[...new Set([...windows, rule?.windowMinutes ?? 60])].map((minutes) => (
              <option key={minutes} value={minutes}>
                {windowText(minutes)}
              </option>
            ))}
          </Select>
        ) : null}
        {texts.minimum === undefined ? null : (
          <Input
            label={texts.minimum}
            name="minimum"
            type="number"
            min={0}
            step="any"
            defaultValue={rule?.minimum ?? texts.defaultMinimum}
          />
        )}
        {kind === 'LATENCY' ? <LatencyFields rule={rule} /> : null}
      </div>
      <FilterFields kind={kind} rule={rule} />
    </>
  );
}

function LatencyFields({ rule }: { readonly rule: AlertRulePartsFragment | null }): ReactNode {
  return (
    <>
      <Select label="Percentile" name="percentile" defaultValue={rule?.percentile ?? 95}>
        {percentiles.map((each) => (
          <option key={each} value={each}>
            p{each}
          </option>
        ))}
      </Select>
      <Select label="Measure" name="measure" defaultValue={rule?.measure ?? 'DURATION'}>
        {measures.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </Select>
    </>
  );
}

function FilterFields({
  kind,
  rule,
}: {
  readonly kind: AlertKind;
  readonly rule: AlertRulePartsFragment | null;
}): ReactNode {
  const { filters } = kindTexts[kind];
  const { can } = usePermissions();
  const { data } = useQuery(AlertKeysDocument, {}, { pause: !filters.includes('key') || !can('keys.read') });
  const { model, provider, apiKeyId, tag } = rule?.filter ?? {};
  return (
    <FieldGroup legend="Only for" hint="Leave empty for everything.">
      <div className="grid gap-1.5 md:grid-cols-2">
        {filters.includes('model') ? (
          <ModelInput label="Model" name="model" defaultValue={model ?? undefined} placeholder="provider/model" />
        ) : null}
        {filters.includes('provider') ? (
          <Input label="Provider" name="provider" maxLength={200} defaultValue={provider ?? undefined} />
        ) : null}
        {filters.includes('key') ? (
          <Select
            label="API key"
            name="apiKeyId"
            defaultValue={apiKeyId ?? ''}
            key={data === null ? 'loading' : 'keys'}
          >
            <option value="">All keys</option>
            {data?.apiKeys.nodes.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        ) : null}
        {filters.includes('tag') ? (
          <Input
            label="Tag"
            name="tag"
            pattern="[^=]+=.+"
            maxLength={400}
            defaultValue={tag ? `${tag.name}=${tag.value}` : undefined}
            placeholder="name=value"
          />
        ) : null}
      </div>
    </FieldGroup>
  );
}

/** The condition in the form's fields. */
export function conditionOf(kind: AlertKind, form: FormData): AlertConditionInput {
  const [name = '', ...value] = textOf(form, 'tag').split('=');
  const measure = measures.find(([each]) => each === textOf(form, 'measure'))?.[0];
  return {
    kind,
    threshold: numberOf(form, 'threshold') ?? 0,
    resolveThreshold: numberOf(form, 'resolveThreshold'),
    minimum: numberOf(form, 'minimum'),
    windowMinutes: numberOf(form, 'windowMinutes'),
    percentile: numberOf(form, 'percentile'),
    measure: measure ?? null,
    filter: {
      model: textOf(form, 'model') || null,
      provider: textOf(form, 'provider') || null,
      apiKeyId: textOf(form, 'apiKeyId') || null,
      tag: value.length === 0 ? null : { name, value: value.join('=') },
    },
  };
}
