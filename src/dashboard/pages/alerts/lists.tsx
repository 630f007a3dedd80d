import { BellRing, Send } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '../../design/badge.tsx';
import { ListTable, type ListColumn } from '../../design/list-table.tsx';
import { Empty } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import type { AlertChannelPartsFragment, AlertRulePartsFragment } from '../../generated/graphql.ts';
import { channelNames, conditionText, valueText } from './alert-texts.ts';

export function RuleList({
  rules,
  create,
  onOpen,
}: {
  readonly rules: readonly AlertRulePartsFragment[];
  readonly create: ReactNode;
  readonly onOpen: (id: string) => void;
}): ReactNode {
  if (rules.length === 0)
    return (
      <Empty icon={<BellRing size={24} />} title="No rules yet" action={create}>
        Start with a spend of one hour: choose twice what a usual hour costs, and add a channel for the people who
        should know. The form shows the current value.
      </Empty>
    );
  return (
    <ListTable
      label="Alert rules"
      rows={rules}
      columns={ruleColumns}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      under={conditionText}
      onOpen={({ id }) => onOpen(id)}
    />
  );
}

export function ChannelList({
  channels,
  create,
  onOpen,
}: {
  readonly channels: readonly AlertChannelPartsFragment[];
  readonly create: ReactNode;
  readonly onOpen: (id: string) => void;
}): ReactNode {
  if (channels.length === 0)
    return (
      <Empty icon={<Send size={24} />} title="No channels yet" action={create}>
        A channel is where notifications go: e-mail, Slack, Microsoft Teams, PagerDuty or your own URL. Send a test
        after you add one.
      </Empty>
    );
  return (
    <ListTable
      label="Alert channels"
      rows={channels}
      columns={channelColumns}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      under={({ kind, emails, hint }) => `${channelNames[kind]} · ${emails.length > 0 ? emails.join(', ') : hint}`}
      onOpen={({ id }) => onOpen(id)}
    />
  );
}

/** Firing, muted, disabled or fine. */
export function RuleState({ rule }: { readonly rule: AlertRulePartsFragment }): ReactNode {
  const firing = rule.states.filter((state) => state.firing);
  const isMuted = rule.mutedUntil != null && Date.parse(rule.mutedUntil) > Date.now();
  return (
    <span className="inline-flex flex-wrap justify-end gap-0.5">
      {isMuted ? <Badge tone="warn">Muted</Badge> : null}
      {firing.length > 0 ? (
        <Badge tone="bad">{firing.length === 1 ? 'Firing' : `Firing (${firing.length})`}</Badge>
      ) : rule.enabled ? (
        <Badge tone={rule.states.length > 0 ? 'good' : 'neutral'}>
          {rule.states.length > 0 ? 'OK' : 'No data yet'}
        </Badge>
      ) : (
        <Badge>Disabled</Badge>
      )}
    </span>
  );
}

const ruleColumns: readonly ListColumn<AlertRulePartsFragment>[] = [
  {
    name: 'value',
    title: 'Current value',
    from: 'md',
    cell: ({ kind, states }) => {
      const [first] = states;
      if (first === undefined) return <span className="text-soft">–</span>;
      return (
        <span className="figures">
          {valueText(kind, first.value)}
          {first.subject === '' ? null : <span className="text-soft"> {first.subject}</span>}
        </span>
      );
    },
  },
  {
    name: 'since',
    title: 'Since',
    from: 'lg',
    cell: ({ states }) => (
      <span className="text-soft">{states[0] ? <Time at={states[0].changedAt} as="relative" /> : '–'}</span>
    ),
  },
  { name: 'state', title: 'State', align: 'right', cell: (rule) => <RuleState rule={rule} /> },
];

const channelColumns: readonly ListColumn<AlertChannelPartsFragment>[] = [
  {
    name: 'added',
    title: 'Added',
    align: 'right',
    cell: ({ createdAt }) => (
      <span className="text-soft">
        <Time at={createdAt} as="relative" />
      </span>
    ),
  },
];
