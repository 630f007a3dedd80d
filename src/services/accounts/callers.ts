import { actAs, userActor, type Actor } from '../../database/audit/audit-context.ts';
import type { ApiKey, MembershipRole } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { KeyDirectory, KeyRecord } from '../../gateway/key-directory.ts';
import type { ObjectReach } from '../../gateway/object-reach.ts';
import type { MemberRoles } from '../members/member-roles.ts';
import { isScope } from '../keys/key-records.ts';
import { wholeAccount } from '../object-reach.ts';
import {
  asksForMaker,
  authorize,
  authorizeKey,
  reachOfKey,
  requireLiving,
  requireMayHold,
  requireOperator,
  requirements,
  type Action,
} from './authorization.ts';
import type { SessionIdentity, SessionsService } from './sessions.service.ts';

export type CallerMembership = SessionIdentity['memberships'][number];

/** Who a request is made for: a signed-in user in one of their accounts, or an API key. */
export type Caller =
  | {
      readonly kind: 'session';
      readonly accountId: string;
      readonly identity: SessionIdentity;
      readonly membership: CallerMembership;
    }
  | { readonly kind: 'key'; readonly accountId: string; readonly key: KeyRecord };

/** What a transport knows of a caller, before it is looked up. */
export interface CallerCredentials {
  readonly sessionToken: string | null;
  /** Counts before a session. */
  readonly apiKey: string | null;
  /** Which of their accounts a signed-in user means; the first that lives where absent. */
  readonly accountId: string | null;
}

export interface CallersParts {
  readonly keys: KeyDirectory;
  readonly sessions: Pick<SessionsService, 'authenticate'>;
  readonly roles: Pick<MemberRoles, 'roleOf'>;
}

/** Finds callers, and holds them to what they may do: the same for GraphQL and REST. */
export class Callers {
  readonly #parts: CallersParts;

  constructor(parts: CallersParts) {
    this.#parts = parts;
  }

  /**
   * @param person how who is signed in is found, where that is asked for
   * @throws SluiceError unauthenticated | invalid_api_key | expired_api_key | account_deleted | not_found | database_unavailable
   */
  async find(credentials: CallerCredentials, person = () => this.person(credentials)): Promise<Caller> {
    const { apiKey, accountId } = credentials;
    if (apiKey !== null) {
      const key = await this.#parts.keys.find(apiKey);
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

  /** Who is signed in, whatever accounts they belong to. @throws SluiceError unauthenticated | database_unavailable */
  async person({ sessionToken }: CallerCredentials): Promise<SessionIdentity> {
    const identity = sessionToken === null ? null : await this.#parts.sessions.authenticate(sessionToken);
    if (identity === null) throw new SluiceError('unauthenticated');
    this.actsAsPerson(identity);
    return identity;
  }

  /** What is changed from here on is told as this person's. */
  actsAsPerson({ userId, email }: SessionIdentity): void {
    actAs(userActor(userId, email));
  }

  /** The caller may do this, and what is changed from here on is told as theirs. @throws SluiceError forbidden | insufficient_scope | account_deleted */
  async require(caller: Caller, action: Action): Promise<void> {
    if (caller.kind === 'session') {
      authorize(caller.membership.role, action);
      requireOperator(caller.membership.isOperator, action);
      requireLiving(caller.membership.erasedAfter, action);
    } else {
      const makers = asksForMaker(action) ? await this.#makersOf(caller.key) : [];
      for (const maker of bounding(makers)) authorizeKey(caller.key, maker, action);
    }
    this.acts(caller);
  }

  /**
   * To which stored objects a key may do this. What only reaches its own waits for nothing.
   * @throws SluiceError forbidden | insufficient_scope | database_unavailable
   */
  async reachOf(key: KeyRecord, action: Action): Promise<ObjectReach> {
    const { accountId, memberId, scopes } = key;
    if (key.credential === 'session') {
      authorize(memberId === null ? null : await this.#parts.roles.roleOf(accountId, memberId), action);
      return wholeAccount(accountId);
    }
    const { scope } = requirements[action];
    const makers = scope !== null && scopes.has(scope) ? await this.#makersOf(key) : [];
    const isWhole = bounding(makers).every((maker) => reachOfKey(key, maker, action) === 'account');
    return isWhole ? wholeAccount(accountId) : { accountId, apiKeyId: key.id };
  }

  /** What is changed from here on is told as this caller's. */
  acts(caller: Caller): void {
    actAs(actorOf(caller));
  }

  /** What the caller is: each of these bounds what they may give to others. */
  async rolesOf(caller: Caller): Promise<MembershipRole[]> {
    if (caller.kind === 'session') return [caller.membership.role];
    const own = caller.key.role ?? null;
    const all = [own, ...(await this.#makersOf(caller.key))];
    return all.includes(null) ? [] : all.filter((role) => role !== null);
  }

  /** The caller does not end by itself, and so may make what lasts. @throws SluiceError credential_ends */
  requireLasting(caller: Caller): void {
    if (endOf(caller) !== null) throw new SluiceError('credential_ends');
  }

  /**
   * A key that ends makes and changes only keys that end no later, and gives no scope that it lacks.
   * @throws SluiceError credential_ends
   */
  requireNoMore(
    caller: Caller,
    key: { readonly expiresAt?: Date | null | undefined; readonly scopes: readonly string[] },
  ): void {
    const end = endOf(caller);
    if (caller.kind === 'session' || end === null) return;
    const outlasts = !key.expiresAt || key.expiresAt.getTime() > end;
    const own: ReadonlySet<string> = caller.key.scopes;
    if (outlasts || key.scopes.some((scope) => !own.has(scope))) throw new SluiceError('credential_ends');
  }

  /** The user whom what the caller makes is of; null where none is known. */
  makerFor(caller: Caller): string | null {
    return caller.kind === 'session' ? caller.identity.userId : caller.key.memberId;
  }

  /**
   * The caller may do all that a key of their account may within these scopes, and so may have its secret. Each key may have its
   * own.
   * @throws SluiceError forbidden
   */
  async requireMayHold(caller: Caller, key: ApiKey, scopes: readonly string[]): Promise<void> {
    if (isOf(caller, key)) return;
    await this.#requireMayHold(caller, key.createdBy?.id ?? null, { scopes, role: key.role });
  }

  /**
   * The caller may have the secret of a key of their account: what it spends counts for who made it, so that another member needs
   * to be one who sets budgets. Each key may have its own.
   * @throws SluiceError forbidden
   */
  async requireMaySpendBy(caller: Caller, key: ApiKey): Promise<void> {
    if (isOf(caller, key) || this.makerFor(caller) === (key.createdBy?.id ?? null)) return;
    const own = await this.rolesOf(caller);
    if (own.length === 0) authorize(null, 'budgets.write');
    for (const role of own) authorize(role, 'budgets.write');
  }

  /** The same of a key that the caller is about to make. @throws SluiceError forbidden */
  requireMayMake(
    caller: Caller,
    powers: { readonly scopes: readonly string[]; readonly role: MembershipRole | null },
  ): Promise<void> {
    return this.#requireMayHold(caller, this.makerFor(caller), powers);
  }

  async #requireMayHold(
    caller: Caller,
    memberId: string | null,
    { scopes, role }: { readonly scopes: readonly string[]; readonly role: MembershipRole | null },
  ): Promise<void> {
    const [maker] = await this.#makersOf({ accountId: caller.accountId, memberId });
    requireMayHold(await this.rolesOf(caller), { scopes: new Set(scopes.filter(isScope)), role }, maker);
  }

  /** What who made a key, and who made a token of it, are now; null for who is no member any more. */
  #makersOf({
    accountId,
    memberId,
    keyMemberId = null,
  }: Pick<KeyRecord, 'accountId' | 'memberId' | 'keyMemberId'>): Promise<(MembershipRole | null)[]> {
    const makers = new Set([memberId, keyMemberId].filter((id) => id !== null));
    return Promise.all([...makers].map((id) => this.#parts.roles.roleOf(accountId, id)));
  }
}

type Maker = MembershipRole | null | undefined;

/** All of these bound what a key may do; undefined where nobody does. */
function bounding(makers: readonly (MembershipRole | null)[]): readonly Maker[] {
  return makers.length === 0 ? [undefined] : makers;
}

function isOf(caller: Caller, key: ApiKey): boolean {
  return caller.kind === 'key' && caller.key.id === key.id;
}

/** In milliseconds since the epoch; null for a caller that does not end by itself, as a member does not. */
function endOf(caller: Caller): number | null {
  return caller.kind === 'key' ? caller.key.expiresAt : null;
}

function actorOf(caller: Caller): Actor {
  if (caller.kind === 'session') return userActor(caller.identity.userId, caller.identity.email);
  const { id, name, memberId } = caller.key;
  return { kind: 'api_key', userId: memberId, apiKeyId: id, label: name };
}
