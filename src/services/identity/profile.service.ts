import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { actAs, userActor } from '../../database/audit/audit-context.ts';
import type { Database } from '../../database/database.ts';
import { LinkedIdentity, User, type MailToken } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { parseEmail, parseName } from '../accounts/build-account.ts';
import type { SignInThrottles } from '../accounts/sign-in-throttle.ts';
import type { SignedIn } from './signed-in.ts';
import { networkOf } from '../client-request/network-of.ts';
import { hashPassword, requireStrongPassword } from '../passwords/passwords.ts';
import type { SpendingApprovals } from '../accounts/spending-approvals.ts';
import type { SessionOrigin, SessionsService } from '../sessions/sessions.service.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import type { EarlierAccess } from '../members/earlier-access.ts';
import type { IdentityMails } from './mails/identity-mails.ts';
import { findMailToken, useMailToken } from './mails/mail-tokens.ts';
import { confirmPassword, ownUser } from './own-user.ts';
import type { SecondFactor } from './two-factor/second-factor.ts';

/** A user's own profile. */
export interface Profile {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly emailVerified: boolean;
  readonly pendingEmail: string | null;
  readonly totpEnabled: boolean;
  readonly hasPassword: boolean;
  readonly identities: readonly LinkedIdentity[];
}

export interface ProfileDependencies {
  readonly database: Database;
  readonly sessions: SessionsService;
  readonly secondFactor: Pick<SecondFactor, 'check'>;
  readonly throttles: SignInThrottles;
  readonly mails: Pick<IdentityMails, 'verification' | 'reset' | 'notify'>;
  readonly earlierAccess: Pick<EarlierAccess, 'end'>;
  readonly approvals: Pick<SpendingApprovals, 'addressVerified'>;
}

/**
 * Manages a user's own addresses, passwords and linked identities. Every method also throws SluiceError database_unavailable.
 */
export class ProfileService {
  readonly #dependencies: ProfileDependencies;

  constructor(dependencies: ProfileDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws SluiceError unauthenticated if the user no longer exists */
  profile(userId: string): Promise<Profile> {
    return mapDatabaseErrors(async () => {
      const user = await ownUser(this.#dependencies.database, userId);
      const identities = await this.#dependencies.database
        .em()
        .find(LinkedIdentity, { user: userId }, { orderBy: { createdAt: 'asc', id: 'asc' } });
      return {
        id: user.id,
        email: user.email,
        name: user.name,
        emailVerified: user.emailVerifiedAt !== null,
        pendingEmail: user.pendingEmail,
        totpEnabled: user.totpSecret !== null,
        hasPassword: user.passwordHash !== null,
        identities,
      };
    });
  }

  /** @throws SluiceError bad_user_input */
  updateProfile(userId: string, input: { name: string }): Promise<Profile> {
    return mapDatabaseErrors(async () => {
      const name = parseName(input.name);
      await this.#change(userId, (user) => {
        user.name = name;
      });
      this.#dependencies.sessions.forget(userId);
      return this.profile(userId);
    });
  }

  /** Sends the confirmation message again. @throws SluiceError too_many_attempts */
  requestVerification(userId: string): Promise<void> {
    return mapDatabaseErrors(async () => {
      await this.#dependencies.throttles.accounts.attempt(`verification ${userId}`);
      return this.#dependencies.mails.verification(userId);
    });
  }

  /**
   * Confirms an address by a mailed link; a pending address becomes the user's address. Only the user's own session may do
   * this: otherwise an attacker who signed up with someone else's address could have it confirmed by a click of its owner.
   * @returns the address
   * @throws SluiceError invalid_token | link_for_other | email_taken
   */
  verifyEmail(userId: string, token: string): Promise<string> {
    return mapDatabaseErrors(async () => {
      const found = await findMailToken(this.#dependencies.database.em(), 'verify', token);
      if (found === null) throw new SluiceError('invalid_token');
      const { user, email } = found;
      if (user.id !== userId) throw new SluiceError('link_for_other');
      const before = user.email;
      if (email !== before && email !== user.pendingEmail) throw new SluiceError('invalid_token');
      let applyAfterCommit = (): void => undefined;
      await this.#usingToken(found, async (em) => {
        applyAfterCommit = await this.#dependencies.approvals.addressVerified(em, user.id);
        const row = await lockUser(em, user.id);
        if (row.email !== before || (email !== before && row.pendingEmail !== email))
          throw new SluiceError('invalid_token');
        row.emailVerifiedAt = new Date();
        if (email === before) return;
        row.email = email;
        row.pendingEmail = null;
      });
      applyAfterCommit();
      if (email !== before) this.#dependencies.mails.notify(before, 'email-changed');
      this.#dependencies.sessions.forget(user.id);
      return email;
    });
  }

  /**
   * Sends a password reset link if the user exists. Nothing here checks whether they do: the job that composes the message
   * does, later.
   * @throws SluiceError too_many_attempts, limited by the client's address only
   */
  requestPasswordReset(email: string, origin: SessionOrigin): Promise<void> {
    return mapDatabaseErrors(async () => {
      await this.#dependencies.throttles.addresses.attempt(`reset ${networkOf(origin.address)}`);
      return this.#dependencies.mails.reset(email.trim().toLowerCase().slice(0, 300));
    });
  }

  /**
   * Sets a password by a mailed link, revokes all sessions and signs in again. Access that was added before the address was
   * confirmed is removed as well.
   * @throws SluiceError invalid_token | weak_password | totp_required | invalid_totp | too_many_attempts
   */
  resetPassword(
    input: { token: string; password: string; totp?: string | null },
    origin: SessionOrigin,
  ): Promise<SignedIn> {
    return mapDatabaseErrors(async () => {
      const { database, sessions, secondFactor, throttles, earlierAccess, approvals } = this.#dependencies;
      const from = `reset-token ${networkOf(origin.address)}`;
      await throttles.addresses.attempt(from);
      const found = await findMailToken(database.em(), 'reset', input.token);
      if (found === null || found.email !== found.user.email) throw new SluiceError('invalid_token');
      throttles.addresses.undoAttempt(from);
      const { user } = found;
      await requireStrongPassword(input.password, user);
      await secondFactor.check(user, input.totp);
      const passwordHash = await hashPassword(input.password);
      let applyAfterCommit = async (): Promise<void> => undefined;
      let applyApproval = (): void => undefined;
      await this.#usingToken(found, async (em) => {
        // Before the user is locked: an invitation locks its account before it references its inviter.
        if (user.emailVerifiedAt === null) {
          applyAfterCommit = await earlierAccess.end(em, user.id);
          for (const each of await em.find(LinkedIdentity, { user: user.id })) em.remove(each);
        }
        applyApproval = await approvals.addressVerified(em, user.id);
        const row = await lockUser(em, user.id);
        Object.assign(row, { passwordHash, emailVerifiedAt: new Date(), pendingEmail: null });
      });
      await applyAfterCommit();
      applyApproval();
      await sessions.revokeAll(user.id, null);
      throttles.accounts.succeeded(user.email);
      this.#dependencies.mails.notify(user.email, 'password-changed');
      const em = database.em();
      const session = sessions.build(em, await em.findOneOrFail(User, { id: user.id }), origin);
      await em.flush();
      return { ...session, userId: user.id };
    });
  }

  /**
   * Changes the password and revokes all other sessions.
   * @throws SluiceError password_not_set | invalid_credentials | weak_password | too_many_attempts
   */
  changePassword(
    { userId, sessionId }: { userId: string; sessionId: string },
    input: { currentPassword: string; newPassword: string },
  ): Promise<Profile> {
    return mapDatabaseErrors(async () => {
      const { database, sessions, throttles, mails } = this.#dependencies;
      const user = await ownUser(database, userId);
      await confirmPassword(user, input.currentPassword, throttles.accounts);
      await requireStrongPassword(input.newPassword, user);
      const passwordHash = await hashPassword(input.newPassword);
      await this.#change(userId, (row) => {
        row.passwordHash = passwordHash;
      });
      await sessions.revokeAll(userId, sessionId);
      mails.notify(user.email, 'password-changed');
      return this.profile(userId);
    });
  }

  /**
   * Requests a new address, which takes effect once it is confirmed; the current one is notified. The response does not reveal
   * whether the address is in use.
   * @throws SluiceError invalid_email | password_not_set | invalid_credentials | too_many_attempts
   */
  changeEmail(userId: string, input: { email: string; password: string }): Promise<Profile> {
    return mapDatabaseErrors(async () => {
      const { database, throttles, mails } = this.#dependencies;
      const email = parseEmail(input.email);
      const user = await ownUser(database, userId);
      await confirmPassword(user, input.password, throttles.accounts);
      const pendingEmail = email === user.email ? null : email;
      if (pendingEmail !== null) await throttles.accounts.attempt(`verification ${userId}`);
      await this.#change(userId, (row) => {
        row.pendingEmail = pendingEmail;
      });
      if (pendingEmail !== null) {
        await mails.verification(userId);
        mails.notify(user.email, 'email-changing');
      }
      return this.profile(userId);
    });
  }

  /** @throws SluiceError not_found | last_way_in */
  unlinkIdentity(userId: string, identityId: string): Promise<Profile> {
    return mapDatabaseErrors(async () => {
      const { database, mails } = this.#dependencies;
      const user = await database.em().transactional(async (em) => {
        // Locked, so that concurrent calls see each other's result.
        const user = await em.findOneOrFail(User, { id: userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
        const identities = await em.find(LinkedIdentity, { user: userId });
        const unlinked = identities.find(({ id }) => id === identityId);
        if (unlinked === undefined) throw new SluiceError('not_found', { values: { what: 'identity' } });
        if (user.passwordHash === null && identities.length === 1) throw new SluiceError('last_way_in');
        em.remove(unlinked);
        return user;
      });
      mails.notify(user.email, 'identity-unlinked');
      return this.profile(userId);
    });
  }

  /** Through the unit of work, so that the audit log records it. */
  async #change(userId: string, change: (user: User) => void): Promise<void> {
    await this.#dependencies.database.em().transactional(async (em) => change(await lockUser(em, userId)));
  }

  /** Applies a change and uses the token that allows it, in one transaction. */
  async #usingToken(token: MailToken, change: (em: EntityManager) => Promise<void>): Promise<void> {
    try {
      await this.#dependencies.database.em().transactional(async (em) => {
        if (!(await useMailToken(em, token))) throw new SluiceError('invalid_token');
        // The link was mailed to this user.
        actAs(userActor(token.user.id, token.user.email));
        await change(em);
      });
    } catch (error) {
      throw error instanceof UniqueConstraintViolationException ? new SluiceError('email_taken') : error;
    }
  }
}

function lockUser(em: EntityManager, id: string): Promise<User> {
  return em.findOneOrFail(User, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}
