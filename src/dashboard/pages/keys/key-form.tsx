import { useState, type ReactNode } from 'react';
import { chosenOf, numberOf, textOf } from '../../data/form.ts';
import { useRead } from '../../data/hooks.ts';
import { Checkbox, FieldGroup, Input, Select } from '../../design/field.tsx';
import { useFieldFault } from '../../design/form-failure.tsx';
import { words } from '../../design/format.ts';
import {
  ModelNamesDocument,
  type BudgetPeriod,
  type CreateApiKeyInput,
  type KeyFragment,
  type KeyScope,
} from '../../generated/graphql.ts';
import { ModerationFields, moderationOf } from './moderation-fields.tsx';
import { PartLimitFields, partLimitsOf, MAX_RATE, rates } from './part-limits.tsx';

const scopes: readonly (readonly [KeyScope, string])[] = [
  ['INFERENCE', 'Call models'],
  ['READ', 'Read usage, models and comparisons through GraphQL'],
  ['MANAGE', 'Change the account: keys, routes, budgets'],
];
/** What the server takes. */
const MAX_CACHE_SECONDS = 30 * 24 * 3_600;
const periods: readonly BudgetPeriod[] = ['DAY', 'WEEK', 'MONTH', 'TOTAL'];

/** All that a key can be told. What it cannot change later stands in the form of a new one only. */
export function KeyFields({ apiKey }: { readonly apiKey: KeyFragment | null }): ReactNode {
  return (
    <>
      <Input
        label="Name"
        name="name"
        required
        maxLength={100}
        defaultValue={apiKey?.name}
        placeholder="Which program uses it"
      />
      {apiKey === null ? (
        <FieldGroup legend="What it may do">
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
      <Input
        label="Expires"
        name="expiresAt"
        type="date"
        fault={useFieldFault(isOfExpiry)}
        defaultValue={apiKey?.expiresAt?.slice(0, 10)}
        hint="At the end of this day, UTC. Never, where empty."
      />
      <FieldGroup legend="Limits" hint="They apply to this key alone, within the plan’s limits. Empty: the default.">
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
      <FieldGroup legend="Limits of a model or a capability" hint="They apply in addition to the limits above.">
        <PartLimitFields limits={apiKey?.limits ?? null} />
      </FieldGroup>
      <FieldGroup legend="Budget" hint="What costs more than this is refused. None, where empty.">
        <div className="grid gap-1.5 md:grid-cols-2">
          <Input
            label="USD"
            name="budgetAmount"
            fault={useFieldFault(isOfBudget)}
            inputMode="decimal"
            pattern="\d+(\.\d{1,9})?"
            defaultValue={apiKey?.budget?.amount.amount}
          />
          <Select label="For each" name="budgetPeriod" defaultValue={apiKey?.budget?.period ?? 'MONTH'}>
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
      <FieldGroup legend="More">
        <Checkbox
          label="Show what is said in the live view"
          hint="Off, the live view tells models, tokens and cost, and no word of any answer."
          name="liveContent"
          defaultChecked={apiKey?.liveContent ?? true}
        />
        <Input
          label="Keep answers for, in seconds"
          name="responseCacheSeconds"
          type="number"
          min={0}
          max={MAX_CACHE_SECONDS}
          defaultValue={apiKey?.responseCacheSeconds ?? undefined}
          hint="The same request again is answered from the cache. Off, where empty."
        />
      </FieldGroup>
    </>
  );
}

function ModelsField({ chosen }: { readonly chosen: readonly string[] | null }): ReactNode {
  const [typed, setTyped] = useState('');
  const fault = useFieldFault(isOfModels);
  const last = typed.split(',').at(-1)?.trim() ?? '';
  const { data } = useRead(ModelNamesDocument, { search: last }, { pause: last.length < 2 });
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
        hint="Which it may call, with commas between. All, where empty."
        fault={fault}
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

/** The budget's own member, as its check names it. */
function isOfBudget(param: string): boolean {
  return param === 'amount';
}

function isOfModels(param: string): boolean {
  return param.startsWith('allowedModels');
}

/** Whether a field shows what is wrong with this member of the input. */
export function hasField(param: string | undefined): boolean {
  return /^(allowedModels|(expiresAt|amount)$|moderation\.model$|limits\.per(Model|Capability)\.\d+(\.(model|capability))?$)/.test(
    param ?? '',
  );
}

type KeySettings = Omit<CreateApiKeyInput, 'scopes'>;

/** What a form of these fields says. */
export function settingsOf(form: FormData): KeySettings {
  const models = listOf(textOf(form, 'allowedModels'));
  const expires = textOf(form, 'expiresAt');
  const amount = textOf(form, 'budgetAmount');
  return {
    name: textOf(form, 'name'),
    allowedModels: models.length > 0 ? models : null,
    expiresAt: expires ? `${expires}T23:59:59Z` : null,
    limits: {
      requestsPerMinute: numberOf(form, 'requestsPerMinute'),
      tokensPerMinute: numberOf(form, 'tokensPerMinute'),
      requestsPerDay: numberOf(form, 'requestsPerDay'),
      concurrency: numberOf(form, 'concurrency'),
      ...partLimitsOf(form),
    },
    budget: amount ? { amount, period: chosenOf(form, 'budgetPeriod', periods)[0] ?? 'MONTH' } : null,
    moderation: moderationOf(form),
    liveContent: form.get('liveContent') !== null,
    responseCacheSeconds: numberOf(form, 'responseCacheSeconds'),
  };
}

export function scopesOf(form: FormData): KeyScope[] {
  return chosenOf(
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
