import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../../../database/database.ts';
import { LinkedIdentity, User } from '../../../database/entities/index.ts';
import { SluiceError } from '../../../errors/index.ts';
import { buildAccount, newUser } from '../../accounts/build-account.ts';
import type { SignUpPolicy } from '../../accounts/sign-up-policy.ts';
import type { SpendingApprovals } from '../../accounts/spending-approvals.ts';
import type { IdentityMails } from '../mails/identity-mails.ts';
import type { ExternalIdentity, IdentityProviderSettings } from './identity-provider.ts';

/** Adds a new user to the account that invited their address. */
export interface InvitationFinder {
  /** @returns false if there is no invitation */
  takeFor(em: EntityManager, user: User): Promise<boolean>;
}

export interface LinkedUsersDependencies {
  readonly database: Database;
  readonly signUp: SignUpPolicy;
  /** The plan of accounts that sign up. */
  readonly defaultPlan: () => string;
  /** The invitations that admit users where sign-up is not open; null for none. */
  readonly invitations: InvitationFinder | null;
  readonly mails: Pick<IdentityMails, 'verificationSoon' | 'notify'>;
  readonly approvals: Pick<SpendingApprovals, 'addressVerified'>;
}

/** The user of an external identity. */
export interface ResolvedUser {
  readonly user: User;
  /** Whether the identity is linked already, or is linked at this sign-in. */
  readonly isLinked: boolean;
  /** Whether the user is new and joined the account that invited them. */
  readonly hasJoined: boolean;
}

/** Maps external identities to users: by issuer and subject; by the address only once, if both sides verified it. */
export class LinkedUsers {
  readonly #dependencies: LinkedUsersDependencies;

  constructor(dependencies: LinkedUsersDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Finds the user, or creates one if sign-up is open or they were invited.
   * @throws SluiceError identity_without_email | identity_not_linked | sign_up_closed
   */
  async resolveUser(identity: ExternalIdentity, provider: IdentityProviderSettings): Promise<ResolvedUser> {
    try {
      return await this.#resolveUser(identity, provider);
    } catch (error) {
      // A concurrent sign-in created the user or the link: it can be found now.
      if (!(error instanceof UniqueConstraintViolationException)) throw error;
      return this.#resolveUser(identity, provider);
    }
  }

  /** Links an identity to a user. No effect if it is already linked to them. @throws SluiceError identity_taken */
  async link(userId: string, identity: ExternalIdentity, provider: IdentityProviderSettings): Promise<void> {
    const em = this.#dependencies.database.em();
    const owner = await this.ownerOf(identity);
    if (owner !== null && owner.id !== userId) throw new SluiceError('identity_taken');
    if (owner !== null) return;
    const user = await em.findOneOrFail(User, { id: userId });
    buildIdentity(em, user, identity, provider);
    try {
      await em.flush();
    } catch (error) {
      if (!(error instanceof UniqueConstraintViolationException)) throw error;
      // A concurrent request linked it, perhaps to the same user.
      if ((await this.ownerOf(identity))?.id === userId) return;
      throw new SluiceError('identity_taken');
    }
    if (isVerifiedAddressOf(user, identity)) await this.#verified(user);
    this.#dependencies.mails.notify(user.email, 'identity-linked');
  }

  /** Null if it is not linked. */
  async ownerOf({ issuer, subject }: Pick<ExternalIdentity, 'issuer' | 'subject'>): Promise<User | null> {
    const em = this.#dependencies.database.em();
    const linked = await em.findOne(LinkedIdentity, { issuer, subject }, { populate: ['user'] });
    return linked?.user ?? null;
  }

  async #resolveUser(identity: ExternalIdentity, provider: IdentityProviderSettings): Promise<ResolvedUser> {
    const { issuer, subject, email } = identity;
    const em = this.#dependencies.database.em();
    const linked = await em.findOne(LinkedIdentity, { issuer, subject }, { populate: ['user'] });
    if (linked !== null) {
      const { user } = linked;
      linked.lastUsedAt = new Date();
      linked.email = email ?? linked.email;
      await em.flush();
      if (isVerifiedAddressOf(user, identity)) await this.#verified(user);
      return { user, isLinked: true, hasJoined: false };
    }
    if (email === null) throw new SluiceError('identity_without_email', { values: { provider: provider.name } });
    const known = await em.findOne(User, { email });
    if (known !== null) {
      if (identity.emailVerified && known.emailVerifiedAt !== null)
        return { user: known, isLinked: false, hasJoined: false };
      throw new SluiceError('identity_not_linked', { values: { provider: provider.name } });
    }
    const user = await this.#signUp(em, identity, email, provider);
    return { user, isLinked: true, hasJoined: this.#dependencies.signUp === 'invite' };
  }

  /** The provider verified the address. */
  async #verified({ id, emailVerifiedAt }: User): Promise<void> {
    if (emailVerifiedAt !== null) return;
    const { database, approvals } = this.#dependencies;
    const applyAfterCommit = await database.em().transactional(async (em) => {
      const applyAfterCommit = await approvals.addressVerified(em, id);
      const user = await em.findOneOrFail(User, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      user.emailVerifiedAt ??= new Date();
      return applyAfterCommit;
    });
    applyAfterCommit();
  }

  async #signUp(
    em: EntityManager,
    identity: ExternalIdentity,
    email: string,
    provider: IdentityProviderSettings,
  ): Promise<User> {
    const { signUp, defaultPlan, mails } = this.#dependencies;
    const { emailVerified } = identity;
    const name = identity.name ?? (email.split('@')[0] ?? email).slice(0, 100);
    const user = await em.transactional(async (unit) => {
      const made = newUser(unit, { email, name, passwordHash: null, emailVerified });
      if (signUp === 'open')
        buildAccount(unit, made, {
          name: `${name}'s account`,
          plan: defaultPlan(),
          spendingRestricted: !emailVerified,
        });
      else await this.#join(unit, made, emailVerified);
      buildIdentity(unit, made, identity, provider);
      return made;
    });
    if (!emailVerified) mails.verificationSoon(user.id);
    return user;
  }

  /** As by the link of an invitation: the provider verified the address that was invited. @throws SluiceError sign_up_closed */
  async #join(em: EntityManager, user: User, emailVerified: boolean): Promise<void> {
    const { signUp, invitations } = this.#dependencies;
    if (signUp !== 'invite' || invitations === null || !emailVerified || !(await invitations.takeFor(em, user)))
      throw new SluiceError('sign_up_closed');
  }
}

function isVerifiedAddressOf(user: User, { email, emailVerified }: ExternalIdentity): boolean {
  return emailVerified && email === user.email;
}

function buildIdentity(
  em: EntityManager,
  user: User,
  { issuer, subject, email }: ExternalIdentity,
  { id }: IdentityProviderSettings,
): void {
  const now = new Date();
  em.persist(
    em.create(LinkedIdentity, { user, provider: id, issuer, subject, email, createdAt: now, lastUsedAt: now }),
  );
}
