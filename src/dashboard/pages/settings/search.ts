import { oneOf, nonEmptyText, type UntrustedSearch } from '../../data/search.ts';

const settingsTabs = ['profile', 'security', 'sessions', 'account', 'content'] as const;
export type SettingsTab = (typeof settingsTabs)[number];

/** `error` is the code of a failed identity link; `create` opens the form for a new account. */
export function settingsSearch(input: UntrustedSearch): { tab?: SettingsTab; error?: string; create?: true } {
  return {
    tab: oneOf(settingsTabs, input.tab),
    error: nonEmptyText(input.error),
    create: input.create === true ? true : undefined,
  };
}
