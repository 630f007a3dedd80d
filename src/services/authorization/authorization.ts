import type { MembershipRole } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { Credential, Scope } from '../../gateway/keys/key-directory.ts';
import type { Action } from './action.ts';

export type { Action };

export interface Requirement {
  /** What the action permits, as a sentence without a full stop. */
  readonly description: string;
  readonly roles: readonly MembershipRole[];
  /** The scope that a key needs; null if no key may. */
  readonly scope: Scope | null;
  /** The scope that suffices for objects that the key created. */
  readonly ownScope?: Scope;
  /**
   * Which credential of a key is required: its current secret, so not a token or a replaced secret; or, for permanent objects,
   * that secret of a key without an expiry. Any if absent.
   */
  readonly keyCredential?: 'current' | 'permanent';
  /** Whether a key can do it for itself, with any scopes and role. */
  readonly isForItself?: boolean;
  /** Whether it is restricted to members of the operator's account. */
  readonly isOperatorOnly?: boolean;
  /** Whether it is possible in a deleted account that is not erased yet. */
  readonly isAllowedWhileDeleted?: boolean;
}

const allRoles = ['owner', 'admin', 'developer', 'billing', 'viewer'] as const;
const administratorRoles = ['owner', 'admin'] as const;
const developerRoles = ['owner', 'admin', 'developer'] as const;
const technicalRoles = ['owner', 'admin', 'developer', 'viewer'] as const;
const billingRoles = ['owner', 'admin', 'billing'] as const;
const paymentRoles = ['owner', 'billing'] as const;

/**
 * The authorization table for GraphQL and REST. A signed-in member is authorized by role. A key is authorized by scope; with
 * `manage`, its own role must be listed as well. While a key's creator is known, they must currently be a member with such a
 * role, except for `inference`: running applications are not interrupted when people leave.
 */
export const requirements: Readonly<Record<Action, Requirement>> = {
  'account.read': {
    description: 'View the account and its plan',
    roles: allRoles,
    scope: 'read',
    isAllowedWhileDeleted: true,
  },
  'account.write': {
    description: 'Change the account’s name, time zone and zero retention',
    roles: ['owner'],
    scope: 'manage',
    keyCredential: 'permanent',
  },
  'content_logging.write': {
    description: 'Change which content of requests is stored, for how long, and what is redacted',
    roles: administratorRoles,
    scope: 'manage',
    keyCredential: 'permanent',
  },
  'content_logging.raise': {
    description: 'Let an API key store more content of its requests than the account does',
    roles: ['owner'],
    scope: 'manage',
    keyCredential: 'permanent',
  },
  'account.export': {
    description: 'Export the account’s data',
    roles: ['owner'],
    scope: 'manage',
    isAllowedWhileDeleted: true,
  },
  'account.transfer': { description: 'Transfer ownership', roles: ['owner'], scope: null },
  'account.delete': {
    description: 'Delete and restore the account',
    roles: ['owner'],
    scope: null,
    isAllowedWhileDeleted: true,
  },
  'account.leave': { description: 'Leave the account', roles: allRoles, scope: null, isAllowedWhileDeleted: true },
  'accounts.approve': {
    description: 'List and approve new accounts of this server',
    roles: ['owner'],
    scope: null,
    isOperatorOnly: true,
  },
  'refunds.retry': {
    description: 'List and retry failed refunds of this server',
    roles: ['owner'],
    scope: null,
    isOperatorOnly: true,
  },
  'members.read': {
    description: 'View members and invitations',
    roles: allRoles,
    scope: 'read',
    isAllowedWhileDeleted: true,
  },
  'members.write': {
    description: 'Invite, change and remove members',
    roles: administratorRoles,
    scope: 'manage',
    keyCredential: 'permanent',
  },
  'audit.read': {
    description: 'View the audit log',
    roles: administratorRoles,
    scope: 'manage',
    isAllowedWhileDeleted: true,
  },
  'plan.change': { description: 'Change the plan', roles: ['owner'], scope: 'manage', keyCredential: 'permanent' },
  'usage.read': { description: 'View usage and live events, and export usage', roles: allRoles, scope: 'read' },
  'usage_archives.read': {
    description: 'View the archived months of this server’s usage log, and where their files are',
    roles: administratorRoles,
    scope: null,
    isOperatorOnly: true,
  },
  'live_content.read': { description: 'View the content of live completions', roles: technicalRoles, scope: 'read' },
  'logged_content.read': { description: 'View the logged content of requests', roles: technicalRoles, scope: 'read' },
  'logged_content.delete': {
    description: 'Delete the logged content of requests',
    roles: administratorRoles,
    scope: 'manage',
    keyCredential: 'permanent',
  },
  'datasets.read': { description: 'View and export datasets', roles: technicalRoles, scope: 'read' },
  'datasets.write': {
    description: 'Create, change and delete datasets',
    roles: developerRoles,
    scope: 'manage',
    keyCredential: 'permanent',
  },
  'feedback.write': {
    description: 'Give and delete feedback on requests and sessions',
    roles: technicalRoles,
    scope: 'manage',
    ownScope: 'inference',
  },
  'invoices.read': { description: 'View and download invoices', roles: billingRoles, scope: 'read' },
  'balance.top_up': { description: 'Top up the balance', roles: paymentRoles, scope: 'manage' },
  'keys.read': { description: 'View API keys', roles: technicalRoles, scope: 'manage' },
  'keys.write': {
    description: 'Create, change and revoke API keys',
    roles: developerRoles,
    scope: 'manage',
    keyCredential: 'current',
  },
  'tokens.create': {
    description: 'Create and revoke access tokens of API keys',
    roles: developerRoles,
    scope: 'manage',
    isForItself: true,
  },
  'connections.read': { description: 'View provider connections', roles: administratorRoles, scope: 'manage' },
  'connections.write': {
    description: 'Connect and disconnect providers',
    roles: administratorRoles,
    scope: 'manage',
    keyCredential: 'permanent',
  },
  'routes.read': { description: 'View routes', roles: technicalRoles, scope: 'read' },
  'routes.write': {
    description: 'Create, change and delete routes',
    roles: administratorRoles,
    scope: 'manage',
    keyCredential: 'permanent',
  },
  'budgets.read': { description: 'View budgets', roles: allRoles, scope: 'read' },
  'budgets.write': {
    description: 'Set and remove budgets',
    roles: billingRoles,
    scope: 'manage',
    keyCredential: 'permanent',
  },
  'videos.read': {
    description: 'View, download and remix videos',
    roles: technicalRoles,
    scope: 'read',
    ownScope: 'inference',
  },
  'videos.write': { description: 'Delete videos', roles: developerRoles, scope: 'manage', ownScope: 'inference' },
  'batches.read': {
    description: 'View batches and their results',
    roles: technicalRoles,
    scope: 'read',
    ownScope: 'inference',
  },
  'batches.write': {
    description: 'Cancel and delete batches',
    roles: developerRoles,
    scope: 'manage',
    ownScope: 'inference',
  },
  'responses.read': {
    description: 'View and continue stored responses and chat completions',
    roles: technicalRoles,
    scope: 'read',
    ownScope: 'inference',
  },
  'responses.write': {
    description: 'Cancel, change and delete stored responses and chat completions',
    roles: developerRoles,
    scope: 'manage',
    ownScope: 'inference',
  },
  'files.read': {
    description: 'View and download files',
    roles: technicalRoles,
    scope: 'read',
    ownScope: 'inference',
  },
  'files.write': { description: 'Delete files', roles: developerRoles, scope: 'manage', ownScope: 'inference' },
  'webhooks.read': { description: 'View webhooks', roles: technicalRoles, scope: 'manage' },
  'webhooks.write': {
    description: 'Create, enable and delete webhooks',
    roles: administratorRoles,
    scope: 'manage',
    keyCredential: 'permanent',
  },
  'alerts.read': { description: 'View alerts, their rules and channels', roles: allRoles, scope: 'read' },
  'alerts.write': {
    description: 'Create, change, mute, test and delete alert rules and channels',
    roles: administratorRoles,
    scope: 'manage',
    keyCredential: 'permanent',
  },
  'saved_views.write': { description: 'Save, change and delete one’s own views', roles: allRoles, scope: null },
  'saved_views.share': { description: 'Share and change shared saved views', roles: developerRoles, scope: null },
  'comparisons.read': { description: 'View comparisons', roles: technicalRoles, scope: 'read', ownScope: 'inference' },
  'comparisons.write': {
    description: 'Rename, vote on and delete comparisons',
    roles: developerRoles,
    scope: 'manage',
  },
  'comparisons.share': {
    description: 'Share comparisons with links',
    roles: developerRoles,
    scope: 'manage',
    keyCredential: 'permanent',
  },
  'comparisons.cancel': {
    description: 'Cancel running comparisons',
    roles: developerRoles,
    scope: 'manage',
    ownScope: 'inference',
  },
  'completions.run': { description: 'Run completions', roles: developerRoles, scope: 'inference' },
};

const actions = Object.values(requirements);

export function isAllowed(role: MembershipRole, action: Action): boolean {
  return requirements[action].roles.includes(role);
}

/** @param role null if the user is not a member @throws SluiceError forbidden */
export function authorize(role: MembershipRole | null, action: Action): void {
  if (role === null || !isAllowed(role, action))
    throw new SluiceError('forbidden', { detail: `role ${role ?? 'none'} does not permit ${action}` });
}

/** The properties of a key that determine its permissions. */
export interface KeyPermissions {
  readonly scopes: ReadonlySet<Scope>;
  /** The role of a key with the `manage` scope; none if absent or null. */
  readonly role?: MembershipRole | null;
  /** Its secret if absent. */
  readonly credential?: Credential;
  /** Null or absent if it does not expire. */
  readonly expiresAt?: number | null;
}

/** Whether a key's permission depends on its creator. */
export function dependsOnCreator(action: Action): boolean {
  return requirements[action].scope !== 'inference';
}

function hasCredential(
  { credential = 'secret', expiresAt = null }: KeyPermissions,
  required: Requirement['keyCredential'],
): boolean {
  const isCurrent = credential !== 'access_token' && credential !== 'superseded_secret';
  return required === undefined || (isCurrent && (required === 'current' || expiresAt === null));
}

/**
 * @param creator the current role of the key's creator; null if they are no longer a member; undefined if there is none
 * @throws SluiceError insufficient_scope | credential_ends | forbidden
 */
export function authorizeKey(key: KeyPermissions, creator: MembershipRole | null | undefined, action: Action): void {
  const { scope, keyCredential } = requirements[action];
  if (scope === null) throw new SluiceError('forbidden', { detail: `API keys cannot perform ${action}` });
  if (!key.scopes.has(scope)) throw new SluiceError('insufficient_scope', { values: { scope } });
  if (!hasCredential(key, keyCredential)) throw new SluiceError('credential_ends');
  if (scope === 'manage') authorize(key.role ?? null, action);
  if (creator !== undefined && dependsOnCreator(action)) authorize(creator, action);
}

/**
 * Whether a key may access all objects of its account, or only those that it created.
 * @param creator as in `authorizeKey`
 * @throws SluiceError insufficient_scope | forbidden if it may access none
 */
export function objectReachOfKey(
  key: KeyPermissions,
  creator: MembershipRole | null | undefined,
  action: Action,
): 'account' | 'own' {
  const { ownScope } = requirements[action];
  if (ownScope !== undefined && key.scopes.has(ownScope) && !reachesAccount(key, creator, action)) return 'own';
  authorizeKey(key, creator, action);
  return 'account';
}

function reachesAccount(key: KeyPermissions, creator: MembershipRole | null | undefined, action: Action): boolean {
  const { scope, roles } = requirements[action];
  if (scope === null || !key.scopes.has(scope)) return false;
  const bounds = [...(scope === 'manage' ? [key.role ?? null] : []), ...(creator === undefined ? [] : [creator])];
  return bounds.every((bound) => bound !== null && roles.includes(bound));
}

/** @throws SluiceError forbidden */
export function requireOperator(isOperator: boolean | undefined, action: Action): void {
  if (requirements[action].isOperatorOnly === true && isOperator !== true)
    throw new SluiceError('forbidden', { detail: `${action} is restricted to the operator's account` });
}

/** @throws SluiceError account_deleted */
export function requireNotDeleted(erasedAfter: Date | null, action: Action): void {
  if (erasedAfter !== null && requirements[action].isAllowedWhileDeleted !== true) throw accountDeleted(erasedAfter);
}

export function accountDeleted(erasedAfter: Date): SluiceError {
  return new SluiceError('account_deleted', { values: { erasedAfter: erasedAfter.toISOString() } });
}

/**
 * Nobody may grant, remove or change more than their own permissions.
 * @param callerRoles the caller's roles, each of which limits what they may grant
 * @throws SluiceError forbidden
 */
export function requireAssignableRole(callerRoles: readonly MembershipRole[], role: MembershipRole): void {
  if (!canAssignRole(callerRoles, role))
    throw new SluiceError('forbidden', {
      detail: `role ${callerRoles.join(' and ') || 'none'} cannot assign or remove ${role}`,
    });
}

export function canAssignRole(callerRoles: readonly MembershipRole[], role: MembershipRole): boolean {
  const exceeds = actions.some(
    ({ roles }) => roles.includes(role) && !callerRoles.every((each) => roles.includes(each)),
  );
  return callerRoles.length > 0 && !exceeds;
}

/**
 * Whoever receives a key's secret or a token of it gains all its permissions, so they must have them already.
 * @param callerRoles the caller's roles, each of which limits their permissions
 * @param creator of the key, as in `authorizeKey`
 * @throws SluiceError forbidden
 */
export function requireKeyPermissions(
  callerRoles: readonly MembershipRole[],
  { scopes, role = null }: KeyPermissions,
  creator: MembershipRole | null | undefined,
): void {
  const exceeds = actions.some(({ scope, roles }) => {
    if (scope === null || scope === 'inference' || !scopes.has(scope)) return false;
    const bounds = [...(scope === 'manage' ? [role] : []), ...(creator === undefined ? [] : [creator])];
    const reaches = bounds.every((bound) => bound !== null && roles.includes(bound));
    return reaches && !(callerRoles.length > 0 && callerRoles.every((each) => roles.includes(each)));
  });
  if (exceeds)
    throw new SluiceError('forbidden', {
      detail: `role ${callerRoles.join(' and ') || 'none'} does not have all permissions of the key`,
    });
}

/** Whether a key may do it for itself, with any scopes. */
export function isAllowedForItself(action: Action): boolean {
  return requirements[action].isForItself === true;
}
