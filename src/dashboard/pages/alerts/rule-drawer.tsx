import { useState, type ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { ConfirmButton } from '../../design/confirm-button.tsx';
import { Menu } from '../../design/menu.tsx';
import { Drawer } from '../../design/overlay.tsx';
import { Section } from '../../design/page.tsx';
import { Time } from '../../design/time.tsx';
import { useToast } from '../../design/toast.tsx';
import {
  DeleteAlertRuleDocument,
  MuteAlertRuleDocument,
  type AlertChannelPartsFragment,
  type AlertRulePartsFragment,
} from '../../generated/graphql.ts';
import { AlertHistory } from './alert-history.tsx';
import { conditionText, valueText } from './alert-texts.ts';
import { RuleState } from './lists.tsx';
import { RuleForm } from './rule-form.tsx';

const HOUR_MS = 3_600_000;
const muteTimes = [
  ['1 hour', HOUR_MS],
  ['8 hours', 8 * HOUR_MS],
  ['1 day', 24 * HOUR_MS],
  ['7 days', 7 * 24 * HOUR_MS],
] as const;

export function RuleDrawer({
  rule,
  isNew,
  canWrite,
  channels,
  onClose,
  onChanged,
  onMuted,
}: {
  readonly rule: AlertRulePartsFragment | null;
  readonly isNew: boolean;
  readonly canWrite: boolean;
  readonly channels: readonly AlertChannelPartsFragment[];
  readonly onClose: () => void;
  readonly onChanged: () => void;
  readonly onMuted: () => void;
}): ReactNode {
  return (
    <Drawer
      open={rule !== null || isNew}
      onClose={onClose}
      title={rule?.name ?? 'Create rule'}
      description={rule === null ? 'It is evaluated every minute.' : conditionText(rule)}
    >
      <div className="flex flex-col gap-3">
        {rule ? <States rule={rule} /> : null}
        {rule && canWrite ? (
          <div className="flex flex-wrap gap-1">
            <Mute rule={rule} onMuted={onMuted} />
            <Delete rule={rule} onDeleted={onChanged} />
          </div>
        ) : null}
        {canWrite ? <RuleForm key={rule?.id ?? 'new'} rule={rule} channels={channels} onSaved={onChanged} /> : null}
        {rule ? (
          <Section title="History">
            <AlertHistory ruleId={rule.id} />
          </Section>
        ) : null}
      </div>
    </Drawer>
  );
}

function States({ rule }: { readonly rule: AlertRulePartsFragment }): ReactNode {
  return (
    <div className="flex flex-col items-start gap-0.5">
      <RuleState rule={rule} />
      {rule.states.map((state) => (
        <div key={state.subject} className="figures wrap-anywhere">
          {state.subject === '' ? '' : `${state.subject}: `}
          {valueText(rule.kind, state.value)}{' '}
          <span className="text-soft">
            {state.firing ? 'fires since' : 'since'} <Time at={state.changedAt} as="relative" />
          </span>
        </div>
      ))}
    </div>
  );
}

function Mute({
  rule: { id, mutedUntil },
  onMuted,
}: {
  readonly rule: AlertRulePartsFragment;
  readonly onMuted: () => void;
}): ReactNode {
  const [mute, pending] = useMutation(MuteAlertRuleDocument);
  const toast = useToast();
  const [openedAt] = useState(() => Date.now());
  const run = async (until: string | null): Promise<void> => {
    const { failure } = await mute({ id, until });
    if (failure) toast.failed(failure);
    else {
      toast.done(until === null ? 'Rule unmuted.' : 'Rule muted. Nothing is sent until then.');
      onMuted();
    }
  };
  if (mutedUntil != null && Date.parse(mutedUntil) > openedAt)
    return (
      <>
        <Button pending={pending} onClick={() => void run(null)}>
          Unmute
        </Button>
        <span className="self-center text-soft">
          Muted until <Time at={mutedUntil} />
        </span>
      </>
    );
  return (
    <Menu
      trigger={<Button pending={pending}>Mute</Button>}
      groups={[
        {
          title: 'Send nothing for',
          items: muteTimes.map(([label, ms]) => ({
            label,
            onSelect: () => void run(new Date(Date.now() + ms).toISOString()),
          })),
        },
      ]}
    />
  );
}

function Delete({
  rule: { id, name },
  onDeleted,
}: {
  readonly rule: AlertRulePartsFragment;
  readonly onDeleted: () => void;
}): ReactNode {
  const [remove, pending] = useMutation(DeleteAlertRuleDocument);
  const toast = useToast();
  const run = async (): Promise<void> => {
    const { failure } = await remove({ id });
    if (failure) toast.failed(failure);
    else {
      toast.done('Rule deleted.');
      onDeleted();
    }
  };
  return (
    <ConfirmButton
      label="Delete"
      title={`Delete ${name}?`}
      description="An alert that fires is resolved. The history stays."
      confirm="Delete rule"
      pending={pending}
      onConfirm={run}
    />
  );
}
