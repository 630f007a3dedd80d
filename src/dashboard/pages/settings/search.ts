import { oneOf, text, type Given } from '../../data/search.ts';

const settingsTabs = ['profile', 'security', 'sessions', 'account'] as const;
export type SettingsTab = (typeof settingsTabs)[number];

/** `error` is the code of a failed identity link; `create` opens the form for a new account. */
export function settingsSearch(given: Given): { tab?: SettingsTab; error?: string; create?: true } {
  return {
    tab: oneOf(settingsTabs, given.tab),
    error: text(given.error),
    create: given.create === true ? true : undefined,
  };
}
