import type { Role } from '../../generated/graphql.ts';

/** Summaries. The complete permissions are in the table of roles. */
export const roleTexts: Readonly<Record<Role, string>> = {
  OWNER: 'Full access, including the plan and the deletion of the account.',
  ADMIN: 'Manages members, API keys, providers, routes and the audit log, but not the plan.',
  DEVELOPER: 'Creates API keys and runs completions.',
  BILLING: 'Views spend, pays invoices and sets budgets.',
  VIEWER: 'Read-only access to usage and settings.',
};
