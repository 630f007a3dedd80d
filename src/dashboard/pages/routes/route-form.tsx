import { useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { selectedValuesOf, numberOf, textOf } from '../../data/form.ts';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { FieldGroup, Input, Select } from '../../design/field.tsx';
import { FormFailure, useFieldError } from '../../design/form-failure.tsx';
import { Failed } from '../../design/state.tsx';
import { useToast } from '../../design/toast.tsx';
import {
  SaveRouteDocument,
  type BatchMode,
  type ParameterPolicy,
  type RoutePartsFragment,
  type SaveRouteInput,
} from '../../generated/graphql.ts';
import { ModerationFields, moderationOf } from '../keys/fields/moderation-fields.tsx';
import { ModelInput } from './model-input.tsx';
import { orderNames, orders } from './route-texts.ts';
import { draftOf, TargetsField, type TargetDraft } from './targets-field.tsx';

const policies: readonly ParameterPolicy[] = ['STRICT', 'DROP'];
const policyNames = { STRICT: 'Refuse the request', DROP: 'Drop them' } as const;
const batchModes: readonly BatchMode[] = ['PROVIDER', 'SLUICE'];
const batchModeNames = { PROVIDER: 'By the provider’s batch API', SLUICE: 'One by one' } as const;
const yesOrNo = ['yes', 'no'] as const;
const timeouts = [
  ['connectSeconds', 'Connect'],
  ['answerSeconds', 'Complete response'],
  ['headersSeconds', 'Headers of a stream'],
  ['firstTokenSeconds', 'First token'],
  ['betweenChunksSeconds', 'Between two chunks'],
] as const;

/** @param children further buttons beside the submit button */
export function RouteForm({
  route,
  newName,
  names,
  onSaved,
  children,
}: {
  readonly route: RoutePartsFragment | null;
  /** The name of a new route at first. */
  readonly newName: string;
  readonly names: readonly string[];
  readonly onSaved: (name: string) => void;
  readonly children: ReactNode;
}): ReactNode {
  const [targets, setTargets] = useState<readonly TargetDraft[]>(
    () => route?.targets.map(({ model, weight }) => draftOf(model, weight)) ?? [draftOf(), draftOf()],
  );
  const [name, setName] = useState(newName);
  const [save, pending] = useMutation(SaveRouteDocument);
  const [error, setError] = useState<Failure | null>(null);
  const toast = useToast();
  const isTaken = route === null && names.includes(name.trim());
  const changeTargets = (changed: readonly TargetDraft[]): void => {
    setTargets(changed);
    // Its index may refer to another target now.
    if (error?.param?.startsWith('targets.')) setError(null);
  };
  const submit = async (form: FormData, saveAnyway = false): Promise<void> => {
    setError(null);
    const input = { ...inputOf(form, route?.name ?? name.trim(), targets), saveAnyway };
    const { data, failure } = await save({ input });
    if (failure) setError(failure);
    else {
      toast.done('Route saved. It applies from the next request.');
      onSaved(data.saveRoute.name);
    }
  };
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isTaken) void submit(new FormData(event.currentTarget));
      }}
    >
      {route === null ? (
        <Input
          label="Name"
          required
          maxLength={256}
          value={name}
          onChange={({ target }) => setName(target.value)}
          placeholder="fast"
          error={isTaken ? 'The account already has a route with this name. Open that route to change it.' : null}
          hint="The name that requests use as their model. It takes precedence over the operator’s models and routes of the same name."
        />
      ) : null}
      <FormFailure failure={error} pending={pending} onSaveAnyway={(form) => void submit(form, true)}>
        <TargetsField targets={targets} onChange={changeTargets} />
        <div className="grid gap-1.5 md:grid-cols-2">
          <Select label="Target order" name="order" defaultValue={route?.order ?? ''}>
            <DefaultOption />
            {orders.map((order) => (
              <option key={order} value={order}>
                {orderNames[order]}
              </option>
            ))}
          </Select>
          <Select
            label="Sticky end users"
            name="sticky"
            defaultValue={route?.sticky == null ? '' : route.sticky ? 'yes' : 'no'}
          >
            <DefaultOption />
            <option value="yes">Yes, to reuse provider caches</option>
            <option value="no">No</option>
          </Select>
          <Select label="Unsupported parameters" name="parameters" defaultValue={route?.parameters ?? ''}>
            <DefaultOption />
            {policies.map((policy) => (
              <option key={policy} value={policy}>
                {policyNames[policy]}
              </option>
            ))}
          </Select>
          <Select label="Batches" name="batches" defaultValue={route?.batches ?? ''}>
            <DefaultOption />
            {batchModes.map((mode) => (
              <option key={mode} value={mode}>
                {batchModeNames[mode]}
              </option>
            ))}
          </Select>
          <Input
            label="Retries with one target"
            name="retries"
            type="number"
            min={0}
            max={10}
            step={1}
            defaultValue={route?.retries ?? undefined}
            placeholder="Server default"
          />
          <LargerModel model={route?.larger ?? undefined} />
          <Input
            label="Cache responses for, in seconds"
            name="cacheSeconds"
            type="number"
            min={0}
            max={86_400}
            step="any"
            defaultValue={route?.cacheSeconds ?? undefined}
            placeholder="Server default"
          />
        </div>
        <FieldGroup legend="Timeouts, in seconds" hint="Leave empty for the server’s defaults.">
          <div className="grid grid-cols-2 gap-1.5">
            {timeouts.map(([field, label]) => (
              <Input
                key={field}
                label={label}
                name={field}
                type="number"
                min={0}
                max={86_400}
                step="any"
                defaultValue={route?.timeouts[field] ?? undefined}
              />
            ))}
          </div>
        </FieldGroup>
        <FieldGroup
          legend="Moderation"
          hint="A model that checks inputs or outputs, in addition to the operator’s own."
        >
          <ModerationFields moderation={route?.moderation ?? null} />
        </FieldGroup>
      </FormFailure>
      {error && !hasField(error.param) ? <Failed failure={error} /> : null}
      <div className="flex gap-1">
        <Button variant="primary" type="submit" pending={pending}>
          {route === null ? 'Create route' : 'Save'}
        </Button>
        {children}
      </div>
    </form>
  );
}

function LargerModel({ model }: { readonly model: string | undefined }): ReactNode {
  const error = useFieldError((param) => param === 'larger');
  return (
    <ModelInput
      label="Model for long inputs"
      name="larger"
      defaultValue={model}
      placeholder="Larger context window"
      error={error}
    />
  );
}

/** Whether a field shows the errors of this input member. */
function hasField(param: string | undefined): boolean {
  return /^(targets\.\d+\.model|larger|moderation\.model)$/.test(param ?? '');
}

function DefaultOption(): ReactNode {
  return <option value="">Server default</option>;
}

function inputOf(form: FormData, name: string, targets: readonly TargetDraft[]): SaveRouteInput {
  const [sticky] = selectedValuesOf(form, 'sticky', yesOrNo);
  return {
    name,
    targets: targets.map(({ model, weight }) => ({ model, weight: weight === '' ? null : Number(weight) })),
    order: selectedValuesOf(form, 'order', orders)[0] ?? null,
    sticky: sticky === undefined ? null : sticky === 'yes',
    parameters: selectedValuesOf(form, 'parameters', policies)[0] ?? null,
    retries: numberOf(form, 'retries'),
    batches: selectedValuesOf(form, 'batches', batchModes)[0] ?? null,
    larger: textOf(form, 'larger') || null,
    // The server refuses 0. Null turns the cache off.
    cacheSeconds: numberOf(form, 'cacheSeconds') || null,
    timeouts: {
      connectSeconds: numberOf(form, 'connectSeconds'),
      answerSeconds: numberOf(form, 'answerSeconds'),
      headersSeconds: numberOf(form, 'headersSeconds'),
      firstTokenSeconds: numberOf(form, 'firstTokenSeconds'),
      betweenChunksSeconds: numberOf(form, 'betweenChunksSeconds'),
    },
    moderation: moderationOf(form),
  };
}
