import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { membershipRoles, type MembershipRole } from '../../../../src/database/entities/index.ts';
import type { Scope } from '../../../../src/gateway/keys/key-directory.ts';
import { buildOpenApiDocument } from '../../../../src/rest/openapi/document.ts';
import { renderReferencePage } from '../../../../src/rest/docs/reference-page.ts';
import {
  authorize,
  authorizeKey,
  requireNotDeleted,
  requireAssignableRole,
  requireKeyPermissions,
  requirements,
  type Action,
  type KeyPermissions,
} from '../../../../src/services/authorization/authorization.ts';
import { rolesMarkdown } from '../../../../src/services/authorization/roles-table.ts';

const actions = Object.keys(requirements).filter((name): name is Action => Object.hasOwn(requirements, name));

/** Whether it passes; the error code if not. */
function outcome(check: () => void): string {
  try {
    check();
    return 'ok';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

describe('the authorization table', () => {
  it('is shown unchanged in docs/accounts/teams.md and at /docs', () => {
    expect(readFileSync('docs/accounts/teams.md', 'utf8')).toContain(
      `<!-- generated: roles -->\n${rolesMarkdown()}\n<!-- /generated -->`,
    );
    const page = renderReferencePage(buildOpenApiDocument(), 'http://127.0.0.1', true);
    for (const { description } of Object.values(requirements)) expect(page).toContain(`<td>${description}</td>`);
  });

  it('permits owners everything, and reading to every role that can write', () => {
    for (const [action, { roles }] of Object.entries(requirements)) expect(roles, action).toContain('owner');
    for (const action of actions) {
      const read = actions.find((each) => each === action.replace('.write', '.read'));
      if (action.endsWith('.write') && read !== undefined)
        expect(requirements[read].roles).toEqual(expect.arrayContaining([...requirements[action].roles]));
    }
  });

  it('restricts members to their role', () => {
    expect(outcome(() => authorize('viewer', 'keys.write'))).toBe('forbidden');
    expect(outcome(() => authorize(null, 'account.read'))).toBe('forbidden');
    expect(outcome(() => authorize('billing', 'budgets.write'))).toBe('ok');
  });
});

describe('a key', () => {
  const every: ReadonlySet<Scope> = new Set(['inference', 'read', 'manage']);

  it.each(actions)('is permitted %s only by its scope, its role and its creator', (action) => {
    const { scope, roles } = requirements[action];
    for (const role of [...membershipRoles, null])
      for (const creator of [...membershipRoles, null, undefined]) {
        const required = scope === 'manage' ? [role, creator] : scope === 'read' ? [creator] : [];
        const may = required.every((each) => each === undefined || (each !== null && roles.includes(each)));
        const expected = scope === null || !may ? 'forbidden' : 'ok';
        expect([role, creator, outcome(() => authorizeKey({ scopes: every, role }, creator, action))]).toEqual([
          role,
          creator,
          expected,
        ]);
      }
    const others = new Set([...every].filter((each) => each !== scope));
    expect(outcome(() => authorizeKey({ scopes: others, role: 'owner' }, 'owner', action))).toBe(
      scope === null ? 'forbidden' : 'insufficient_scope',
    );
  });
});

describe('a deleted account', () => {
  it('can be read, downloaded, restored and left, and nothing else', () => {
    const left = actions.filter((action) => outcome(() => requireNotDeleted(new Date(), action)) === 'ok');
    expect(left.toSorted()).toEqual([
      'account.delete',
      'account.export',
      'account.leave',
      'account.read',
      'audit.read',
      'members.read',
    ]);
    expect(actions.every((action) => outcome(() => requireNotDeleted(null, action)) === 'ok')).toBe(true);
  });
});

describe('granting roles', () => {
  it.each<[readonly MembershipRole[], readonly MembershipRole[]]>([
    [['owner'], ['owner', 'admin', 'developer', 'billing', 'viewer']],
    // Only the owner decides who may spend the account's balance.
    [['admin'], ['admin', 'developer', 'viewer']],
    [['developer'], ['developer', 'viewer']],
    [['billing'], ['billing']],
    [['viewer'], ['viewer']],
    [['owner', 'viewer'], ['viewer']],
    [['admin', 'billing'], []],
    [[], []],
  ])('is limited to one’s own permissions: %j', (own, may) => {
    const given = membershipRoles.filter((role) => outcome(() => requireAssignableRole(own, role)) === 'ok');
    expect(given).toEqual(may);
  });
});

describe('holding a key', () => {
  const every: ReadonlySet<Scope> = new Set(['inference', 'read', 'manage']);
  const may = (own: readonly MembershipRole[], key: KeyPermissions, creator: MembershipRole | null | undefined) =>
    outcome(() => requireKeyPermissions(own, key, creator));

  it('requires all of its permissions', () => {
    expect(may(['developer'], { scopes: every, role: 'developer' }, 'developer')).toBe('ok');
    expect(may(['developer'], { scopes: new Set(['manage']), role: 'admin' }, 'owner')).toBe('forbidden');
    expect(may(['admin'], { scopes: new Set(['manage']), role: 'admin' }, 'owner')).toBe('ok');
    expect(may(['owner', 'developer'], { scopes: new Set(['manage']), role: 'admin' }, undefined)).toBe('forbidden');
    // Its creator is a developer now, and so is the key.
    expect(may(['developer'], { scopes: new Set(['manage']), role: 'admin' }, 'developer')).toBe('ok');
    // It reads what its creator may: invoices.
    expect(may(['developer'], { scopes: new Set(['read']) }, 'owner')).toBe('forbidden');
    expect(may(['developer'], { scopes: new Set(['read']) }, undefined)).toBe('forbidden');
    expect(may(['developer'], { scopes: new Set(['inference']) }, 'owner')).toBe('ok');
    // Its creator is no longer a member: it manages and reads nothing.
    expect(may(['developer'], { scopes: every, role: 'owner' }, null)).toBe('ok');
    expect(may([], { scopes: new Set(['manage']), role: 'viewer' }, undefined)).toBe('forbidden');
  });
});
