import type { MembershipRole } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { Scope } from '../../gateway/key-directory.ts';

export type Action =
  | 'account.read'
  | 'usage.read'
  | 'keys.read'
  | 'keys.write'
  | 'connections.read'
  | 'connections.write'
  | 'routes.read'
  | 'routes.write'
  | 'videos.read'
  | 'webhooks.read'
  | 'webhooks.write'
  | 'completions.run';

interface Requirement {
  /** Which members may do it when signed in. */
  readonly roles: readonly MembershipRole[];
  /** What a key needs to do it. */
  readonly scope: Scope;
}

/** Who may do what: the only place that says so. */
const requirements: Readonly<Record<Action, Requirement>> = {
  'account.read': { roles: ['owner', 'admin', 'developer', 'billing', 'viewer'], scope: 'read' },
  'usage.read': { roles: ['owner', 'admin', 'developer', 'billing', 'viewer'], scope: 'read' },
  'keys.read': { roles: ['owner', 'admin', 'developer', 'viewer'], scope: 'manage' },
  'keys.write': { roles: ['owner', 'admin', 'developer'], scope: 'manage' },
  'connections.read': { roles: ['owner', 'admin'], scope: 'manage' },
  'connections.write': { roles: ['owner', 'admin'], scope: 'manage' },
  'routes.read': { roles: ['owner', 'admin', 'developer', 'viewer'], scope: 'read' },
  'routes.write': { roles: ['owner', 'admin'], scope: 'manage' },
  'videos.read': { roles: ['owner', 'admin', 'developer', 'billing', 'viewer'], scope: 'read' },
  'webhooks.read': { roles: ['owner', 'admin', 'developer', 'viewer'], scope: 'manage' },
  'webhooks.write': { roles: ['owner', 'admin'], scope: 'manage' },
  'completions.run': { roles: ['owner', 'admin', 'developer'], scope: 'inference' },
};

export function isAllowed(role: MembershipRole, action: Action): boolean {
  return requirements[action].roles.includes(role);
}

/** @throws SluiceError forbidden */
export function authorize(role: MembershipRole, action: Action): void {
  if (!isAllowed(role, action)) throw new SluiceError('forbidden', { detail: `${role} may not ${action}` });
}

/** @throws SluiceError insufficient_scope */
export function authorizeScopes(scopes: ReadonlySet<Scope>, action: Action): void {
  const { scope } = requirements[action];
  if (!scopes.has(scope)) throw new SluiceError('insufficient_scope', { values: { scope } });
}
