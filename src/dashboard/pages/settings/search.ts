import { oneOf, text, type Given } from '../../data/search.ts';

export const settingsTabs = ['profile', 'security', 'sessions', 'account'] as const;
export type SettingsTab = (typeof settingsTabs)[number];

/** `error` is why an identity could not be linked; `create` asks for one more account. */
export function settingsSearch(given: Given): { tab?: SettingsTab; error?: string; create?: true } {
  return {
    tab: oneOf(settingsTabs, given.tab),
    error: text(given.error),
    create: given.create === true ? true : undefined,
  };
}
