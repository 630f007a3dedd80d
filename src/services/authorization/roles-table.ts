import { membershipRoles } from '../../database/entities/index.ts';
import type { Scope } from '../../gateway/keys/key-directory.ts';
import { requirements, type Requirement } from './authorization.ts';

/** The authorization table for readers: the action, a mark for each role, and what an API key needs. */
export interface RolesTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const MARK = '✓';

export function rolesTable(): RolesTable {
  return {
    head: ['Action', ...membershipRoles, 'API key'],
    rows: Object.values(requirements).map((requirement) => [
      requirement.description,
      ...membershipRoles.map((role) => (requirement.roles.includes(role) ? MARK : '')),
      keyRequirement(requirement),
    ]),
  };
}

/** What a key needs for the action, and who is excluded. */
function keyRequirement({ scope, ownScope, keyCredential, isForItself, isOperatorOnly }: Requirement): string {
  return [
    scopeText(scope),
    keyCredential === undefined ? '' : keyCredential === 'current' ? 'no access token' : 'no access token, no expiry',
    ownScope === undefined ? '' : `\`${ownScope}\` for objects that it created`,
    isForItself ? 'any scope for itself' : '',
    isOperatorOnly ? 'only in the operator’s account' : '',
  ]
    .filter(Boolean)
    .join('; ');
}

function scopeText(scope: Scope | null): string {
  if (scope === null) return 'users only';
  return scope === 'manage' ? '`manage` and a permitted role' : `\`${scope}\``;
}

/** The table in docs/accounts/teams.md. */
export function rolesMarkdown(): string {
  const { head, rows } = rolesTable();
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
