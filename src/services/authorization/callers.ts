import { actAs, userActor, type Actor } from '../../database/audit/audit-context.ts';
import type { ApiKey, MembershipRole } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { KeyDirectory, KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { ObjectReach } from '../../gateway/keys/object-reach.ts';
import type { MemberRoles } from './member-roles.ts';
import { isScope } from './scopes.ts';
import { accountReach } from '../object-reach.ts';
import {
  dependsOnCreator,
  authorize,
  authorizeKey,
  objectReachOfKey,
  requireNotDeleted,
  requireKeyPermissions,
  requireOperator,
  requirements,
  type Action,
} from './authorization.ts';
import type { SessionIdentity, SessionsService } from '../sessions/sessions.service.ts';

export type CallerMembership = SessionIdentity['memberships'][number];

/** The caller of a request: a signed-in user in one of their accounts, or an API key. */
export type Caller =
  | {
      readonly kind: 'session';
      readonly accountId: string;
      readonly identity: SessionIdentity;
      readonly membership: CallerMembership;
    }
  | { readonly kind: 'key'; readonly accountId: string; readonly key: KeyRecord };

/** The credentials of a request, before they are looked up. */
export interface CallerCredentials {
  readonly sessionToken: string | null;
  /** Takes precedence over a session. */
  readonly apiKey: string | null;
  /** The account selected by a signed-in user; their first active one if absent. */
  readonly accountId: string | null;
}

export interface CallersDependencies {
  readonly keys: KeyDirectory;
  readonly sessions: Pick<SessionsService, 'authenticate'>;
  readonly roles: Pick<MemberRoles, 'roleOf'>;
}

/** Authenticates callers and authorizes their actions, for GraphQL and REST. */
export class Callers {
  readonly #dependencies: CallersDependencies;

  constructor(dependencies: CallersDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * @param person how the signed-in user is looked up, if required
   * @throws SluiceError unauthenticated | invalid_api_key | expired_api_key | account_deleted | not_found |
   * database_unavailable
   */
  async find(credentials: CallerCredentials, person = () => this.person(credentials)): Promise<Caller> {
    const { apiKey, accountId } = credentials;
    if (apiKey !== null) {
      const key = await this.#dependencies.keys.find(apiKey);
      return { kind: 'key', accountId: key.accountId, key };
    }
    const identity = await person();
    const { memberships } = identity;
    const membership =
      accountId === null
        ? (memberships.find(({ erasedAfter }) => erasedAfter === null) ?? memberships[0])
        : memberships.find((each) => each.accountId === accountId);
    if (membership === undefined) throw new SluiceError('not_found', { values: { what: 'account' } });
    return { kind: 'session', accountId: membership.accountId, identity, membership };
  }

  /** The signed-in user, independent of accounts. @throws SluiceError unauthenticated | database_unavailable */
  async person({ sessionToken }: CallerCredentials): Promise<SessionIdentity> {
    const identity = sessionToken === null ? null : await this.#dependencies.sessions.authenticate(sessionToken);
    if (identity === null) throw new SluiceError('unauthenticated');
    this.actsAsPerson(identity);
    return identity;
  }

  /** Attributes subsequent changes to this user in the audit log. */
  actsAsPerson({ userId, email }: SessionIdentity): void {
    actAs(userActor(userId, email));
  }

  /**
   * Requires the permission, and attributes subsequent changes to the caller in the audit log. @throws SluiceError forbidden |
   * insufficient_scope | account_deleted
   */
  async require(caller: Caller, action: Action): Promise<void> {
    if (caller.kind === 'session') {
      authorize(caller.membership.role, action);
      requireOperator(caller.membership.isOperator, action);
      requireNotDeleted(caller.membership.erasedAfter, action);
    } else {
      const creators = dependsOnCreator(action) ? await this.#creatorRolesOf(caller.key) : [];
      for (const creator of limitingRoles(creators)) authorizeKey(caller.key, creator, action);
    }
    this.acts(caller);
  }

  /**
   * The stored objects on which a key may perform the action. Waits for nothing if it may access only its own.
   * @throws SluiceError forbidden | insufficient_scope | database_unavailable
   */
  async reachOf(key: KeyRecord, action: Action): Promise<ObjectReach> {
    const { accountId, memberId, scopes } = key;
    if (key.credential === 'session') {
      authorize(memberId === null ? null : await this.#dependencies.roles.roleOf(accountId, memberId), action);
      return accountReach(accountId);
    }
    const { scope } = requirements[action];
    const creators = scope !== null && scopes.has(scope) ? await this.#creatorRolesOf(key) : [];
    const isWhole = limitingRoles(creators).every((creator) => objectReachOfKey(key, creator, action) === 'account');
    return isWhole ? accountReach(accountId) : { accountId, apiKeyId: key.id };
  }

  /** Attributes subsequent changes to this caller in the audit log. */
  acts(caller: Caller): void {
    actAs(actorOf(caller));
  }

  /** The caller's roles, each of which limits what they may grant. */
  async rolesOf(caller: Caller): Promise<MembershipRole[]> {
    if (caller.kind === 'session') return [caller.membership.role];
    const own = caller.key.role ?? null;
    const all = [own, ...(await this.#creatorRolesOf(caller.key))];
    return all.includes(null) ? [] : all.filter((role) => role !== null);
  }

  /** Requires a credential without an expiry, to create permanent objects. @throws SluiceError credential_ends */
  requirePermanentCredential(caller: Caller): void {
    if (expiryOf(caller) !== null) throw new SluiceError('credential_ends');
  }

  /**
   * A key with an expiry may create and change only keys that expire no later, and grant only scopes that it has.
   * @throws SluiceError credential_ends
   */
  requireWithinCallerLimits(
    caller: Caller,
    key: { readonly expiresAt?: Date | null | undefined; readonly scopes: readonly string[] },
  ): void {
    const end = expiryOf(caller);
    if (caller.kind === 'session' || end === null) return;
    const outlasts = !key.expiresAt || key.expiresAt.getTime() > end;
    const own: ReadonlySet<string> = caller.key.scopes;
    if (outlasts || key.scopes.some((scope) => !own.has(scope))) throw new SluiceError('credential_ends');
  }

  /** The user to whom new objects of the caller belong; null if unknown. */
  creatorFor(caller: Caller): string | null {
    return caller.kind === 'session' ? caller.identity.userId : caller.key.memberId;
  }

  /**
   * Requires that the caller has all permissions of a key within these scopes, so that they may receive its secret. A key may
   * receive its own.
   * @throws SluiceError forbidden
   */
  async requireKeyPermissions(caller: Caller, key: ApiKey, scopes: readonly string[]): Promise<void> {
    if (isSameKey(caller, key)) return;
    await this.#requirePermissions(caller, key.createdBy?.id ?? null, { scopes, role: key.role });
  }

  /**
   * Requires that the caller may receive a key's secret although its spending counts for its creator: another member needs
   * permission to set budgets. A key may receive its own.
   * @throws SluiceError forbidden
   */
  async requireCanSpendFor(caller: Caller, key: ApiKey): Promise<void> {
    if (isSameKey(caller, key) || this.creatorFor(caller) === (key.createdBy?.id ?? null)) return;
    const own = await this.rolesOf(caller);
    if (own.length === 0) authorize(null, 'budgets.write');
    for (const role of own) authorize(role, 'budgets.write');
  }

  /** As above, for a key that the caller is about to create. @throws SluiceError forbidden */
  requireCanCreateKey(
    caller: Caller,
    permissions: { readonly scopes: readonly string[]; readonly role: MembershipRole | null },
  ): Promise<void> {
    return this.#requirePermissions(caller, this.creatorFor(caller), permissions);
  }

  async #requirePermissions(
    caller: Caller,
    memberId: string | null,
    { scopes, role }: { readonly scopes: readonly string[]; readonly role: MembershipRole | null },
  ): Promise<void> {
    const [creator] = await this.#creatorRolesOf({ accountId: caller.accountId, memberId });
    requireKeyPermissions(await this.rolesOf(caller), { scopes: new Set(scopes.filter(isScope)), role }, creator);
  }

  /** The current roles of the creators of a key and of a token of it; null if they are no longer members. */
  #creatorRolesOf({
    accountId,
    memberId,
    keyMemberId = null,
  }: Pick<KeyRecord, 'accountId' | 'memberId' | 'keyMemberId'>): Promise<(MembershipRole | null)[]> {
    const creators = new Set([memberId, keyMemberId].filter((id) => id !== null));
    return Promise.all([...creators].map((id) => this.#dependencies.roles.roleOf(accountId, id)));
  }
}

type Creator = MembershipRole | null | undefined;

/** The roles that limit a key; undefined if there are none. */
function limitingRoles(creators: readonly (MembershipRole | null)[]): readonly Creator[] {
  return creators.length === 0 ? [undefined] : creators;
}

function isSameKey(caller: Caller, key: ApiKey): boolean {
  return caller.kind === 'key' && caller.key.id === key.id;
}

/** In milliseconds since the epoch; null for a caller without an expiry, such as a member. */
function expiryOf(caller: Caller): number | null {
  return caller.kind === 'key' ? caller.key.expiresAt : null;
}

function actorOf(caller: Caller): Actor {
  if (caller.kind === 'session') return userActor(caller.identity.userId, caller.identity.email);
  const { id, name, memberId } = caller.key;
  return { kind: 'api_key', userId: memberId, apiKeyId: id, label: name };
}
