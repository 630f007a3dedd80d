import { oneOf, nonEmptyText, type UntrustedSearch } from '../../data/search.ts';

const alertTabs = ['rules', 'channels', 'history'] as const;
export type AlertTab = (typeof alertTabs)[number];

export interface AlertsSearch {
  readonly tab?: AlertTab;
  /** The rule whose form is open. */
  readonly rule?: string;
  /** The channel whose details are open. */
  readonly channel?: string;
  readonly create?: 'rule' | 'channel';
}

export function alertsSearch(input: UntrustedSearch): AlertsSearch {
  return {
    tab: oneOf(alertTabs, input.tab),
    rule: nonEmptyText(input.rule),
    channel: nonEmptyText(input.channel),
    create: oneOf(['rule', 'channel'] as const, input.create),
  };
}
