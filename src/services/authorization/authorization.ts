import type { MembershipRole } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { Credential, Scope } from '../../gateway/keys/key-directory.ts';

export type Action =
  | 'account.read'
  | 'account.write'
  | 'account.export'
  | 'account.transfer'
  | 'account.delete'
  | 'account.leave'
  | 'accounts.approve'
  | 'refunds.retry'
  | 'members.read'
  | 'members.write'
  | 'audit.read'
  | 'plan.change'
  | 'usage.read'
  | 'live_content.read'
  | 'invoices.read'
  | 'balance.top_up'
  | 'keys.read'
  | 'keys.write'
  | 'tokens.create'
  | 'connections.read'
  | 'connections.write'
  | 'routes.read'
  | 'routes.write'
  | 'budgets.read'
  | 'budgets.write'
  | 'videos.read'
  | 'videos.write'
  | 'responses.read'
  | 'responses.write'
  | 'webhooks.read'
  | 'webhooks.write'
  | 'comparisons.read'
  | 'comparisons.write'
  | 'comparisons.share'
  | 'comparisons.cancel'
  | 'completions.run';

export interface Requirement {
  /** What the action permits, for readers of the table. */
  readonly does: string;
  readonly roles: readonly MembershipRole[];
  /** The scope that a key needs; null if no key may. */
  readonly scope: Scope | null;
  /** The scope that suffices for objects that the key created itself. */
  readonly own?: Scope;
  /**
   * Which credential of a key is required: its current secret, so not a token or a replaced secret; or, for permanent objects,
   * that secret of a key without an expiry. Any where absent.
   */
  readonly by?: 'current' | 'lasting';
  /** Whether a key may do it for itself, with any scopes and role. */
  readonly forItself?: boolean;
  /** Whether it is restricted to members of the operator's account. */
  readonly byOperator?: boolean;
  /** Whether it is possible in a deleted account that is not erased yet. */
  readonly whileDeleted?: boolean;
}

const everybody = ['owner', 'admin', 'developer', 'billing', 'viewer'] as const;
const administrators = ['owner', 'admin'] as const;
const builders = ['owner', 'admin', 'developer'] as const;
const builtFor = ['owner', 'admin', 'developer', 'viewer'] as const;
const payers = ['owner', 'admin', 'billing'] as const;
const purses = ['owner', 'billing'] as const;

/**
 * The authorization table for GraphQL and REST. A signed-in member is authorized by role. A key is authorized by scope; with
 * `manage`, its own role must be listed as well. While a key's creator is known, they must currently be a member with such a
 * role, except for `inference`: running applications are not interrupted when people leave.
 */
export const requirements: Readonly<Record<Action, Requirement>> = {
  'account.read': { does: 'see the account and its plan', roles: everybody, scope: 'read', whileDeleted: true },
  'account.write': {
    does: 'rename the account, set its time zone and zero retention',
    roles: ['owner'],
    scope: 'manage',
    by: 'lasting',
  },
  'account.export': {
    does: 'download all that the account holds',
    roles: ['owner'],
    scope: 'manage',
    whileDeleted: true,
  },
  'account.transfer': { does: 'hand the account over', roles: ['owner'], scope: null },
  'account.delete': { does: 'delete the account, and restore it', roles: ['owner'], scope: null, whileDeleted: true },
  'account.leave': { does: 'leave the account', roles: everybody, scope: null, whileDeleted: true },
  'accounts.approve': {
    does: 'see and approve new accounts of this server',
    roles: ['owner'],
    scope: null,
    byOperator: true,
  },
  'refunds.retry': {
    does: 'see and retry refunds of this server that failed',
    roles: ['owner'],
    scope: null,
    byOperator: true,
  },
  'members.read': { does: 'see members and invitations', roles: everybody, scope: 'read', whileDeleted: true },
  'members.write': {
    does: 'invite, change and remove members',
    roles: administrators,
    scope: 'manage',
    by: 'lasting',
  },
  'audit.read': { does: 'read the audit log', roles: administrators, scope: 'manage', whileDeleted: true },
  'plan.change': { does: 'change the plan', roles: ['owner'], scope: 'manage', by: 'lasting' },
  'usage.read': { does: 'see usage, live events and exports of it', roles: everybody, scope: 'read' },
  'live_content.read': { does: 'see what live completions say', roles: builtFor, scope: 'read' },
  'invoices.read': { does: 'see invoices, and download them', roles: payers, scope: 'read' },
  'balance.top_up': { does: 'top up the balance', roles: purses, scope: 'manage' },
  'keys.read': { does: 'see API keys', roles: builtFor, scope: 'manage' },
  'keys.write': { does: 'make, change and revoke API keys', roles: builders, scope: 'manage', by: 'current' },
  'tokens.create': {
    does: 'make and revoke access tokens of API keys',
    roles: builders,
    scope: 'manage',
    forItself: true,
  },
  'connections.read': { does: 'see provider connections', roles: administrators, scope: 'manage' },
  'connections.write': { does: 'connect providers', roles: administrators, scope: 'manage', by: 'lasting' },
  'routes.read': { does: 'see routes', roles: builtFor, scope: 'read' },
  'routes.write': { does: 'save and delete routes', roles: administrators, scope: 'manage', by: 'lasting' },
  'budgets.read': { does: 'see budgets', roles: everybody, scope: 'read' },
  'budgets.write': { does: 'set and remove budgets', roles: payers, scope: 'manage', by: 'lasting' },
  'videos.read': { does: 'see, download and remix videos', roles: builtFor, scope: 'read', own: 'inference' },
  'videos.write': { does: 'delete videos', roles: builders, scope: 'manage', own: 'inference' },
  'responses.read': { does: 'see and continue stored responses', roles: builtFor, scope: 'read', own: 'inference' },
  'responses.write': {
    does: 'cancel and delete stored responses',
    roles: builders,
    scope: 'manage',
    own: 'inference',
  },
  'webhooks.read': { does: 'see webhooks', roles: builtFor, scope: 'manage' },
  'webhooks.write': { does: 'make and delete webhooks', roles: administrators, scope: 'manage', by: 'lasting' },
  'comparisons.read': { does: 'see comparisons', roles: builtFor, scope: 'read', own: 'inference' },
  'comparisons.write': { does: 'name, vote on and delete comparisons', roles: builders, scope: 'manage' },
  'comparisons.share': { does: 'share comparisons by links', roles: builders, scope: 'manage', by: 'lasting' },
  'comparisons.cancel': {
    does: 'cancel comparisons that run',
    roles: builders,
    scope: 'manage',
    own: 'inference',
  },
  'completions.run': { does: 'run completions', roles: builders, scope: 'inference' },
};

const actions = Object.values(requirements);

export function isAllowed(role: MembershipRole, action: Action): boolean {
  return requirements[action].roles.includes(role);
}

/** @param role null if the user is not a member @throws SluiceError forbidden */
export function authorize(role: MembershipRole | null, action: Action): void {
  if (role === null || !isAllowed(role, action))
    throw new SluiceError('forbidden', { detail: `${role ?? 'nobody'} may not ${action}` });
}

/** The properties of a key that determine its permissions. */
export interface KeyPowers {
  readonly scopes: ReadonlySet<Scope>;
  /** The role of a key with the `manage` scope; none where absent or null. */
  readonly role?: MembershipRole | null;
  /** Its secret where absent. */
  readonly credential?: Credential;
  /** Null or absent if it does not expire. */
  readonly expiresAt?: number | null;
}

/** Whether a key's permission depends on its creator. */
export function asksForMaker(action: Action): boolean {
  return requirements[action].scope !== 'inference';
}

function isBy({ credential = 'secret', expiresAt = null }: KeyPowers, by: Requirement['by']): boolean {
  const isCurrent = credential !== 'access_token' && credential !== 'superseded_secret';
  return by === undefined || (isCurrent && (by === 'current' || expiresAt === null));
}

/**
 * @param maker the current role of the key's creator; null if they are no longer a member; undefined if there is none
 * @throws SluiceError insufficient_scope | credential_ends | forbidden
 */
export function authorizeKey(key: KeyPowers, maker: MembershipRole | null | undefined, action: Action): void {
  const { scope, by } = requirements[action];
  if (scope === null) throw new SluiceError('forbidden', { detail: `no key may ${action}` });
  if (!key.scopes.has(scope)) throw new SluiceError('insufficient_scope', { values: { scope } });
  if (!isBy(key, by)) throw new SluiceError('credential_ends');
  if (scope === 'manage') authorize(key.role ?? null, action);
  if (maker !== undefined && asksForMaker(action)) authorize(maker, action);
}

/**
 * Whether a key may access all objects of its account, or only those that it created.
 * @param maker as in `authorizeKey`
 * @throws SluiceError insufficient_scope | forbidden if it may access none
 */
export function reachOfKey(
  key: KeyPowers,
  maker: MembershipRole | null | undefined,
  action: Action,
): 'account' | 'own' {
  const { own } = requirements[action];
  if (own !== undefined && key.scopes.has(own) && !reachesAccount(key, maker, action)) return 'own';
  authorizeKey(key, maker, action);
  return 'account';
}

function reachesAccount(key: KeyPowers, maker: MembershipRole | null | undefined, action: Action): boolean {
  const { scope, roles } = requirements[action];
  if (scope === null || !key.scopes.has(scope)) return false;
  const bounds = [...(scope === 'manage' ? [key.role ?? null] : []), ...(maker === undefined ? [] : [maker])];
  return bounds.every((bound) => bound !== null && roles.includes(bound));
}

/** @throws SluiceError forbidden */
export function requireOperator(isOperator: boolean | undefined, action: Action): void {
  if (requirements[action].byOperator === true && isOperator !== true)
    throw new SluiceError('forbidden', { detail: `${action} is restricted to the operator's account` });
}

/** @throws SluiceError account_deleted */
export function requireLiving(erasedAfter: Date | null, action: Action): void {
  if (erasedAfter !== null && requirements[action].whileDeleted !== true) throw accountDeleted(erasedAfter);
}

export function accountDeleted(erasedAfter: Date): SluiceError {
  return new SluiceError('account_deleted', { values: { erasedAfter: erasedAfter.toISOString() } });
}

/**
 * Nobody may grant, remove or change more than their own permissions.
 * @param own the caller's roles, each of which limits what they may grant
 * @throws SluiceError forbidden
 */
export function requireAssignableRole(own: readonly MembershipRole[], role: MembershipRole): void {
  if (!mayGive(own, role))
    throw new SluiceError('forbidden', { detail: `${own.join(' and ') || 'nobody'} may not give or take ${role}` });
}

export function mayGive(own: readonly MembershipRole[], role: MembershipRole): boolean {
  const exceeds = actions.some(({ roles }) => roles.includes(role) && !own.every((each) => roles.includes(each)));
  return own.length > 0 && !exceeds;
}

/**
 * Whoever receives a key's secret or a token of it gains all its permissions, so they must have them already.
 * @param own the caller's roles, each of which limits their permissions
 * @param maker of the key, as in `authorizeKey`
 * @throws SluiceError forbidden
 */
export function requireKeyPermissions(
  own: readonly MembershipRole[],
  { scopes, role = null }: KeyPowers,
  maker: MembershipRole | null | undefined,
): void {
  const exceeds = actions.some(({ scope, roles }) => {
    if (scope === null || scope === 'inference' || !scopes.has(scope)) return false;
    const bounds = [...(scope === 'manage' ? [role] : []), ...(maker === undefined ? [] : [maker])];
    const reaches = bounds.every((bound) => bound !== null && roles.includes(bound));
    return reaches && !(own.length > 0 && own.every((each) => roles.includes(each)));
  });
  if (exceeds) throw new SluiceError('forbidden', { detail: `${own.join(' and ') || 'nobody'} may not hold this key` });
}

/** Whether a key may do it for itself, with any scopes. */
export function isAllowedForItself(action: Action): boolean {
  return requirements[action].forItself === true;
}
