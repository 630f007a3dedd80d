import { membershipRoles } from '../../database/entities/index.ts';
import type { Scope } from '../../gateway/keys/key-directory.ts';
import { requirements } from './authorization.ts';

/** The authorization table for readers: the action, a mark per role, and what a key needs. */
export interface RolesTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const MARK = '✓';

export function rolesTable(): RolesTable {
  return {
    head: ['', ...membershipRoles, 'a key needs'],
    rows: Object.values(requirements).map(({ does, roles, scope, own, by, forItself, byOperator }) => [
      does,
      ...membershipRoles.map((role) => (roles.includes(role) ? MARK : '')),
      `${need(scope)}${by === undefined ? '' : by === 'current' ? '; no token' : '; no token, no expiry'}${own ? `; \`${own}\` for what it made` : ''}${forItself ? '; nothing for itself' : ''}${byOperator ? ', of the first owner’s account' : ''}`,
    ]),
  };
}

function need(scope: Scope | null): string {
  if (scope === null) return 'people only';
  return scope === 'manage' ? '`manage`, role' : `\`${scope}\``;
}

/** The table in docs/accounts/teams.md. */
export function rolesMarkdown(): string {
  const { head, rows } = rolesTable();
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
