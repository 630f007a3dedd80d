import { useRef, useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { selectedValuesOf, textOf } from '../../data/form.ts';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { Checkbox, FieldGroup, Input, Select } from '../../design/field.tsx';
import { Failed } from '../../design/state.tsx';
import { useToast } from '../../design/toast.tsx';
import {
  CreateAlertRuleDocument,
  UpdateAlertRuleDocument,
  type AlertChannelPartsFragment,
  type AlertConditionInput,
  type AlertKind,
  type AlertRulePartsFragment,
} from '../../generated/graphql.ts';
import { alertKinds, channelNames, kindTexts } from './alert-texts.ts';
import { ConditionFields, conditionOf } from './condition-fields.tsx';
import { RulePreview } from './rule-preview.tsx';

/** Creates or changes a rule; shows the current value of what is entered. */
export function RuleForm({
  rule,
  channels,
  onSaved,
}: {
  readonly rule: AlertRulePartsFragment | null;
  readonly channels: readonly AlertChannelPartsFragment[];
  readonly onSaved: () => void;
}): ReactNode {
  const [kind, setKind] = useState<AlertKind>(rule?.kind ?? 'SPEND');
  const [failure, setFailure] = useState<Failure | null>(null);
  const [condition, setCondition] = useState<AlertConditionInput | null>(null);
  const [create, isCreating] = useMutation(CreateAlertRuleDocument);
  const [update, isUpdating] = useMutation(UpdateAlertRuleDocument);
  const form = useRef<HTMLFormElement>(null);
  const toast = useToast();
  const submit = async (data: FormData): Promise<void> => {
    setFailure(null);
    const ids = channels.map(({ id }) => id);
    const input = {
      name: textOf(data, 'name'),
      condition: conditionOf(kind, data),
      channelIds: selectedValuesOf(data, 'channels', ids),
      enabled: data.get('enabled') !== null,
    };
    const result = rule === null ? await create({ input }) : await update({ id: rule.id, input });
    if (result.failure) setFailure(result.failure);
    else {
      toast.done(rule === null ? 'Rule created.' : 'Rule saved.');
      onSaved();
    }
  };
  return (
    <form
      ref={form}
      aria-label="Alert rule"
      className="flex flex-col gap-2"
      onInput={() => {
        if (form.current) setCondition(conditionOf(kind, new FormData(form.current)));
      }}
      onSubmit={(event) => {
        event.preventDefault();
        void submit(new FormData(event.currentTarget));
      }}
    >
      <Select
        label="What to watch"
        name="kind"
        value={kind}
        onChange={({ target }) => {
          const chosen = alertKinds.find((each) => each === target.value);
          if (chosen) setKind(chosen);
          setCondition(null);
        }}
        hint={kindTexts[kind].explanation}
      >
        {alertKinds.map((each) => (
          <option key={each} value={each}>
            {kindTexts[each].name}
          </option>
        ))}
      </Select>
      <Input
        label="Name"
        name="name"
        required
        maxLength={100}
        defaultValue={rule?.name ?? kindTexts[kind].name}
        key={`name ${kind}`}
      />
      <ConditionFields key={kind} kind={kind} rule={rule?.kind === kind ? rule : null} />
      <RulePreview
        kind={kind}
        condition={condition?.kind === kind ? condition : initialCondition(kind, rule?.kind === kind ? rule : null)}
      />
      <FieldGroup
        legend="Channels"
        hint={channels.length === 0 ? 'There are none yet. Alerts appear in the history only.' : undefined}
      >
        {channels.map((channel) => (
          <Checkbox
            key={channel.id}
            label={<span className="wrap-anywhere">{channel.name}</span>}
            hint={channelNames[channel.kind]}
            name="channels"
            value={channel.id}
            defaultChecked={rule?.channelIds.includes(channel.id) ?? true}
          />
        ))}
      </FieldGroup>
      <Checkbox label="Enabled" name="enabled" defaultChecked={rule?.enabled ?? true} />
      {failure ? <Failed failure={failure} /> : null}
      <div>
        <Button variant="primary" type="submit" pending={isCreating || isUpdating}>
          {rule === null ? 'Create rule' : 'Save rule'}
        </Button>
      </div>
    </form>
  );
}

/** Before anything is entered. */
function initialCondition(kind: AlertKind, rule: AlertRulePartsFragment | null): AlertConditionInput {
  if (rule === null) return { kind, threshold: kindTexts[kind].defaultThreshold };
  const { threshold, resolveThreshold, minimum, windowMinutes, percentile, measure, filter } = rule;
  const { model, provider, apiKeyId, capability, tag } = filter;
  return {
    kind,
    threshold,
    resolveThreshold,
    minimum,
    windowMinutes,
    percentile,
    measure,
    filter: { model, provider, apiKeyId, capability, tag: tag && { name: tag.name, value: tag.value } },
  };
}
