import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../../database/database.ts';
import { Account, User } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { buildAccount, newUser, parseEmail, parseName } from '../accounts/build-account.ts';
import type { SignInThrottles } from '../accounts/sign-in-throttle.ts';
import type { SignUpPolicy } from '../accounts/sign-up-policy.ts';
import { recordFailedSignIn } from '../audit/sign-ins.ts';
import { networkOf } from '../client-request/network-of.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { hashPassword, requireStrongPassword, verifyPassword } from '../passwords/passwords.ts';
import type { SessionOrigin, SessionsService } from '../sessions/sessions.service.ts';
import type { KnownDevices } from './known-devices.ts';
import type { IdentityMails } from './mails/identity-mails.ts';
import type { PendingSignUps, StartedSignUp } from './pending-sign-ups.ts';
import type { SignedIn } from './signed-in.ts';
import type { SecondFactor } from './two-factor/second-factor.ts';

/** What a sign-in requires besides a password. */
export interface IdentityDependencies {
  readonly secondFactor: Pick<SecondFactor, 'check'>;
  readonly mails: Pick<IdentityMails, 'verificationSoon'>;
  /** Sign-ups whose address is to be confirmed; absent if no mail can be sent. */
  readonly pending?: Pick<PendingSignUps, 'begin'> | undefined;
  /** Devices are not recognized where absent. */
  readonly devices?: Pick<KnownDevices, 'remember' | 'idOf'>;
}

/** Adds a new user to the account of an invitation. */
export interface InvitationAcceptor {
  /** @throws SluiceError invitation_invalid | invitation_for_other */
  take(em: EntityManager, token: string, user: User): Promise<unknown>;
  /** Checks the invitation before the user exists. @throws SluiceError invitation_invalid | invitation_for_other */
  requireFor(token: string, email: string): Promise<void>;
}

export interface NewUser {
  readonly email: string;
  readonly password: string;
  readonly name: string;
  /** The token of an invitation: the user joins its account and gets none of their own. */
  readonly invitation?: string | null | undefined;
}

export interface AccountsDependencies {
  readonly database: Database;
  readonly sessions: SessionsService;
  readonly throttles: SignInThrottles;
  readonly signUp: SignUpPolicy;
  /** The plan of accounts that sign up. */
  readonly defaultPlan: () => string;
  readonly identity: IdentityDependencies;
  /** No invitations are accepted if absent or null. */
  readonly invitations?: InvitationAcceptor | null;
}

/** Sign-up and sign-in of users, and their accounts. */
export class AccountsService {
  readonly #database: Database;
  readonly #sessions: SessionsService;
  readonly #throttles: SignInThrottles;
  readonly #signUp: SignUpPolicy;
  readonly #defaultPlan: () => string;
  readonly #identity: IdentityDependencies;
  readonly #invitations: InvitationAcceptor | null;

  constructor({
    database,
    sessions,
    throttles,
    signUp,
    defaultPlan,
    identity,
    invitations = null,
  }: AccountsDependencies) {
    this.#database = database;
    this.#sessions = sessions;
    this.#throttles = throttles;
    this.#signUp = signUp;
    this.#defaultPlan = defaultPlan;
    this.#identity = identity;
    this.#invitations = invitations;
  }

  get signUpPolicy(): SignUpPolicy {
    return this.#signUp;
  }

  /**
   * Creates a user, with an account of their own or in the account that invited them, and signs them in. Where mail can be
   * sent, users without an invitation must confirm their address first: the response and its timing are the same for an
   * address that already has a user.
   * @throws SluiceError sign_up_closed | sign_up_not_local | invalid_email | weak_password | bad_user_input | email_taken |
   * too_many_attempts | invitation_invalid | invitation_for_other
   */
  signUp(input: NewUser, origin: SessionOrigin & { readonly isLocal?: boolean }): Promise<SignedIn | StartedSignUp> {
    return mapDatabaseErrors(async () => {
      const { pending } = this.#identity;
      const invitation = input.invitation ?? null;
      if (this.#signUp === 'off' || (this.#signUp === 'invite' && invitation === null))
        throw new SluiceError('sign_up_closed');
      // Without mail no address can be confirmed, and the response reveals which ones have users: allowed only on this machine.
      if (invitation === null && pending === undefined && origin.isLocal === false)
        throw new SluiceError('sign_up_not_local');
      const email = parseEmail(input.email);
      const name = parseName(input.name);
      await requireStrongPassword(input.password, { email, name });
      await this.#throttles.addresses.attempt(`sign-up ${networkOf(origin.address)}`);
      // Before any lookup by address: whether it has a user is revealed only by mail to it.
      if (invitation !== null) await this.#invitationTaker().requireFor(invitation, email);
      const passwordHash = await hashPassword(input.password);
      if (invitation === null && pending !== undefined) return pending.begin({ email, name, passwordHash }, origin);
      return this.#open({ email, name, passwordHash, invitation }, origin);
    });
  }

  /**
   * @param input.totp a code of the user's authenticator app, or a recovery code
   * @throws SluiceError invalid_credentials | totp_required | invalid_totp | too_many_attempts
   */
  signIn(
    input: { email: string; password: string; totp?: string | null },
    origin: SessionOrigin & { readonly device?: string | null },
  ): Promise<SignedIn> {
    return mapDatabaseErrors(async () => {
      const email = input.email.trim().toLowerCase().slice(0, 300);
      const attempt = await this.#countAttempt(email, origin);
      const em = this.#database.em();
      const user = await em.findOne(User, { email });
      if (!(await verifyPassword(user?.passwordHash ?? null, input.password)) || user === null) {
        await recordFailedSignIn(em, user);
        throw new SluiceError('invalid_credentials');
      }
      attempt.succeeded();
      await this.#identity.secondFactor.check(user, input.totp);
      const session = this.#sessions.build(em, user, origin);
      await em.flush();
      return { ...session, userId: user.id, device: this.#identity.devices?.remember(email) };
    });
  }

  /**
   * Counted per account and network, and per network for all accounts: attempts from elsewhere do not slow a user down. A
   * recognized browser is not slowed down by others on its network either.
   * @throws SluiceError too_many_attempts
   */
  async #countAttempt(
    email: string,
    { address, device = null }: SessionOrigin & { readonly device?: string | null },
  ): Promise<{ succeeded(): void }> {
    const { accounts, addresses } = this.#throttles;
    const deviceId = this.#identity.devices?.idOf(email, device) ?? null;
    const subject = deviceId === null ? `${email} from ${networkOf(address)}` : `${email} by ${deviceId}`;
    const from = deviceId === null ? `sign-in ${networkOf(address)}` : null;
    if (from !== null) await addresses.attempt(from);
    await accounts.attempt(subject);
    return {
      succeeded: () => {
        accounts.succeeded(subject);
        if (from !== null) addresses.undoAttempt(from);
      },
    };
  }

  signOut(token: string): Promise<void> {
    return this.#sessions.end(token);
  }

  /** @throws SluiceError not_found */
  account(accountId: string): Promise<Account> {
    return mapDatabaseErrors(async () => {
      const account = await this.#database.em().findOne(Account, { id: accountId });
      if (account === null) throw new SluiceError('not_found', { values: { what: 'account' } });
      return account;
    });
  }

  async #open(
    { invitation, ...given }: { email: string; name: string; passwordHash: string; invitation: string | null },
    origin: SessionOrigin,
  ): Promise<SignedIn> {
    try {
      const { user, session } = await this.#database.em().transactional(async (em) => {
        const user = newUser(em, given);
        if (invitation !== null) await this.#invitationTaker().take(em, invitation, user);
        else
          buildAccount(em, user, {
            name: `${given.name}'s account`,
            plan: this.#defaultPlan(),
            spendingRestricted: true,
          });
        return { user, session: this.#sessions.build(em, user, origin) };
      });
      if (user.emailVerifiedAt === null) this.#identity.mails.verificationSoon(user.id);
      return { ...session, userId: user.id, device: this.#identity.devices?.remember(given.email) };
    } catch (error) {
      throw error instanceof UniqueConstraintViolationException ? new SluiceError('email_taken') : error;
    }
  }

  #invitationTaker(): InvitationAcceptor {
    if (this.#invitations === null) throw new SluiceError('invitation_invalid');
    return this.#invitations;
  }
}
