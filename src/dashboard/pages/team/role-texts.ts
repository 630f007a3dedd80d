import type { Role } from '../../generated/graphql.ts';

/** In one line each; the whole of it is the table. */
export const roleTexts: Readonly<Record<Role, string>> = {
  OWNER: 'Everything: the account itself, its plan, its deletion.',
  ADMIN: 'Members, keys, providers, routes and the audit log; not the plan.',
  DEVELOPER: 'Makes API keys and runs completions.',
  BILLING: 'Sees what is spent, pays, and sets budgets.',
  VIEWER: 'Sees usage and settings, and changes nothing.',
};
