import { useState, type ReactNode } from 'react';
import { selectedValuesOf, numberOf, textOf } from '../../data/form.ts';
import { useQuery } from '../../data/graphql/hooks.ts';
import { Checkbox, FieldGroup, Input, Select } from '../../design/field.tsx';
import { useFieldError } from '../../design/form-failure.tsx';
import { words } from '../../design/format.ts';
import {
  ModelNamesDocument,
  type BudgetPeriod,
  type CreateApiKeyInput,
  type KeyFragment,
  type KeyScope,
} from '../../generated/graphql.ts';
import { ContentLevelFields, contentLevelOf } from './fields/content-level-fields.tsx';
import { ModelAliasFields, modelAliasesOf } from './fields/model-alias-fields.tsx';
import { ModerationFields, moderationOf } from './fields/moderation-fields.tsx';
import { ScopedLimitFields, scopedLimitsOf, MAX_RATE, rates } from './fields/scoped-limits.tsx';

const scopes: readonly (readonly [KeyScope, string])[] = [
  ['INFERENCE', 'Call models'],
  ['READ', 'Read usage, models and comparisons through GraphQL'],
  ['MANAGE', 'Change the account’s API keys, routes and budgets'],
];
/** The server's limit. */
const MAX_CACHE_SECONDS = 30 * 24 * 3_600;
const periods: readonly BudgetPeriod[] = ['DAY', 'WEEK', 'MONTH', 'TOTAL'];

/** The settings of a key. The form of a new key also contains the settings that cannot change later. */
export function KeyFields({ apiKey }: { readonly apiKey: KeyFragment | null }): ReactNode {
  return (
    <>
      <Input
        label="Name"
        name="name"
        required
        maxLength={100}
        defaultValue={apiKey?.name}
        placeholder="For example the program that uses it"
      />
      {apiKey === null ? (
        <FieldGroup legend="Scopes">
          {scopes.map(([scope, hint]) => (
            <Checkbox
              key={scope}
              label={words(scope)}
              hint={hint}
              name="scopes"
              value={scope}
              defaultChecked={scope === 'INFERENCE'}
            />
          ))}
        </FieldGroup>
      ) : null}
      <ModelsField chosen={apiKey?.allowedModels ?? null} />
      <FieldGroup
        legend="Aliases"
        hint="What requests with this key get for the names that they ask for. A pattern such as claude-* stands for all names that begin so."
      >
        <ModelAliasFields aliases={apiKey?.modelAliases ?? []} />
      </FieldGroup>
      <Input
        label="Expires"
        name="expiresAt"
        type="date"
        error={useFieldError(isOfExpiry)}
        defaultValue={apiKey?.expiresAt?.slice(0, 10)}
        hint="At the end of this day (UTC). Leave empty for no expiry."
      />
      <FieldGroup legend="Limits" hint="They apply to this key, within the plan’s limits. Leave empty for the default.">
        <div className="grid gap-1.5 md:grid-cols-2">
          {rates.map(([name, label]) => (
            <Input
              key={name}
              label={label}
              name={name}
              type="number"
              min={1}
              max={MAX_RATE}
              step={1}
              defaultValue={apiKey?.limits[name] ?? undefined}
            />
          ))}
        </div>
      </FieldGroup>
      <FieldGroup legend="Limits per model or capability" hint="They apply in addition to the limits above.">
        <ScopedLimitFields limits={apiKey?.limits ?? null} />
      </FieldGroup>
      <FieldGroup legend="Budget" hint="Requests that would exceed it are refused. Leave empty for no budget.">
        <div className="grid gap-1.5 md:grid-cols-2">
          <Input
            label="Amount (USD)"
            name="budgetAmount"
            error={useFieldError(isOfBudget)}
            inputMode="decimal"
            pattern="\d+(\.\d{1,9})?"
            defaultValue={apiKey?.budget?.amount.amount}
          />
          <Select label="Period" name="budgetPeriod" defaultValue={apiKey?.budget?.period ?? 'MONTH'}>
            {periods.map((period) => (
              <option key={period} value={period}>
                {period === 'TOTAL' ? 'All time' : words(period)}
              </option>
            ))}
          </Select>
        </div>
      </FieldGroup>
      <FieldGroup legend="Moderation" hint="A model that checks inputs or outputs.">
        <ModerationFields moderation={apiKey?.moderation ?? null} />
      </FieldGroup>
      <FieldGroup legend="Other settings">
        <Checkbox
          label="Show content in the live view"
          hint="When off, the live view shows models, tokens and cost, but no prompts or responses."
          name="liveContent"
          defaultChecked={apiKey?.liveContent ?? true}
        />
        <ContentLevelFields apiKey={apiKey} />
        <Input
          label="Cache responses for, in seconds"
          name="responseCacheSeconds"
          type="number"
          min={0}
          max={MAX_CACHE_SECONDS}
          defaultValue={apiKey?.responseCacheSeconds ?? undefined}
          hint="Identical requests are served from the cache. Leave empty to turn caching off."
        />
      </FieldGroup>
    </>
  );
}

function ModelsField({ chosen }: { readonly chosen: readonly string[] | null }): ReactNode {
  const [typed, setTyped] = useState('');
  const error = useFieldError(isOfModels);
  const last = typed.split(',').at(-1)?.trim() ?? '';
  const { data } = useQuery(ModelNamesDocument, { search: last }, { pause: last.length < 2 });
  const before = typed.slice(0, typed.length - (typed.split(',').at(-1)?.length ?? 0));
  return (
    <div>
      <Input
        label="Models"
        name="allowedModels"
        list="model-names"
        autoComplete="off"
        defaultValue={chosen?.join(', ')}
        placeholder="openai/gpt-5.5, sandbox/chat"
        onChange={({ target }) => setTyped(target.value)}
        hint="Models that the key may call, separated by commas. Leave empty for all."
        error={error}
      />
      <datalist id="model-names">
        {data?.models.nodes.map(({ id }) => (
          <option key={id} value={`${before}${before ? ' ' : ''}${id}`} />
        ))}
      </datalist>
    </div>
  );
}

function isOfExpiry(param: string): boolean {
  return param === 'expiresAt';
}

/** The server names this member in errors about the budget. */
function isOfBudget(param: string): boolean {
  return param === 'amount';
}

function isOfModels(param: string): boolean {
  return param.startsWith('allowedModels');
}

/** Whether a field shows the errors of this input member. */
export function hasField(param: string | undefined): boolean {
  return /^(allowedModels|modelAliases\.\d+\.(name|model)$|(expiresAt|amount)$|moderation\.model$|limits\.per(Model|Capability)\.\d+(\.(model|capability))?$)/.test(
    param ?? '',
  );
}

type KeySettings = Omit<CreateApiKeyInput, 'scopes'>;

/** Reads the settings from the form. */
export function settingsOf(form: FormData): KeySettings {
  const models = listOf(textOf(form, 'allowedModels'));
  const expires = textOf(form, 'expiresAt');
  const amount = textOf(form, 'budgetAmount');
  return {
    name: textOf(form, 'name'),
    allowedModels: models.length > 0 ? models : null,
    modelAliases: modelAliasesOf(form),
    expiresAt: expires ? `${expires}T23:59:59Z` : null,
    limits: {
      requestsPerMinute: numberOf(form, 'requestsPerMinute'),
      tokensPerMinute: numberOf(form, 'tokensPerMinute'),
      requestsPerDay: numberOf(form, 'requestsPerDay'),
      concurrency: numberOf(form, 'concurrency'),
      ...scopedLimitsOf(form),
    },
    budget: amount ? { amount, period: selectedValuesOf(form, 'budgetPeriod', periods)[0] ?? 'MONTH' } : null,
    moderation: moderationOf(form),
    liveContent: form.get('liveContent') !== null,
    ...contentLevelOf(form),
    responseCacheSeconds: numberOf(form, 'responseCacheSeconds'),
  };
}

export function scopesOf(form: FormData): KeyScope[] {
  return selectedValuesOf(
    form,
    'scopes',
    scopes.map(([scope]) => scope),
  );
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
}
