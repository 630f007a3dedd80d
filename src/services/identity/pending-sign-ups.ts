import { randomUUID } from 'node:crypto';
import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { z } from 'zod';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { PendingSignUp } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { buildUser } from '../accounts/build-account.ts';
import type { SignInThrottles } from '../accounts/sign-in-throttle.ts';
import type { SignUpPolicy } from '../accounts/sign-up-policy.ts';
import type { SignedIn } from './signed-in.ts';
import type { KnownDevices } from './known-devices.ts';
import { networkOf } from '../client-request/network-of.ts';
import { verifyPassword } from '../passwords/passwords.ts';
import type { SessionOrigin, SessionsService } from '../sessions/sessions.service.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import type { CookieSeal } from './cookie-seal.ts';
import type { IdentityMails } from './mails/identity-mails.ts';
import { hashOfSignUpToken } from './mails/sign-up-mail.ts';

const HOUR_MS = 3_600_000;
/** How long the link in the mail is valid. */
export const SIGN_UP_LIFETIME_MS = 24 * HOUR_MS;
const TOKEN_FORM = /^[\w-]{43}$/;
const PURPOSE = 'sign-up';

const browserSchema = z.object({ signUpId: z.uuid() });

/** The response to a sign-up: the same whether or not the address has a user. */
export interface StartedSignUp {
  readonly pendingEmail: string;
  /** Stored by the browser, so that the link signs in there without the password. */
  readonly browser: string;
}

export interface PendingSignUpsDependencies {
  readonly database: Database;
  readonly sessions: SessionsService;
  readonly throttles: SignInThrottles;
  /** Limits sign-ups that send mail, by network. */
  readonly mailThrottle: Pick<SignInThrottles['addresses'], 'attempt'>;
  readonly signUp: SignUpPolicy;
  readonly defaultPlan: () => string;
  readonly mails: Pick<IdentityMails, 'signUp'>;
  readonly seal: CookieSeal;
  readonly devices: Pick<KnownDevices, 'remember'>;
  readonly clock?: Clock;
}

export interface SignUpProof {
  /** The token of the mailed link. */
  readonly token: string;
  /** Required in a browser other than the one that signed up. */
  readonly password?: string | null | undefined;
}

/**
 * Sign-ups whose address is not confirmed yet. Nothing here checks whether the address has a user: the job that composes the
 * message does. The user is created only when the mailed link is opened by whoever signed up: in the same browser, or with the
 * password. Otherwise the owner of an address could confirm an account that someone else controls.
 */
export class PendingSignUps {
  readonly #dependencies: PendingSignUpsDependencies;
  readonly #clock: Clock;

  constructor(dependencies: PendingSignUpsDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
  }

  /** @throws SluiceError too_many_attempts, limited by the client's network only */
  async begin(
    given: { readonly email: string; readonly name: string; readonly passwordHash: string },
    origin: SessionOrigin,
  ): Promise<StartedSignUp> {
    const { database, mailThrottle, mails, seal } = this.#dependencies;
    await mailThrottle.attempt(`sign-up mail ${networkOf(origin.address)}`);
    const id = randomUUID();
    const now = this.#clock.now();
    const em = database.em();
    em.persist(
      em.create(PendingSignUp, {
        ...given,
        id,
        createdAt: new Date(now),
        expiresAt: new Date(now + SIGN_UP_LIFETIME_MS),
      }),
    );
    await em.flush();
    await mails.signUp(id);
    return { pendingEmail: given.email, browser: seal.seal(PURPOSE, { signUpId: id }, SIGN_UP_LIFETIME_MS) };
  }

  /**
   * Creates the user and their account from the mailed link, and signs them in.
   * @param browser the value that `begin` gave this browser
   * @throws SluiceError invalid_token | sign_up_closed | sign_up_password_required | invalid_credentials | email_taken |
   * too_many_attempts
   */
  confirm({ token, password }: SignUpProof, browser: string | null, origin: SessionOrigin): Promise<SignedIn> {
    return mapDatabaseErrors(async () => {
      const { database, throttles, signUp } = this.#dependencies;
      const from = `sign-up-token ${networkOf(origin.address)}`;
      await throttles.addresses.attempt(from);
      const found = TOKEN_FORM.test(token)
        ? await database.em().findOne(PendingSignUp, {
            tokenHash: hashOfSignUpToken(token),
            expiresAt: { $gt: new Date(this.#clock.now()) },
          })
        : null;
      if (found === null || found.passwordHash === null) throw new SluiceError('invalid_token');
      throttles.addresses.undoAttempt(from);
      if (signUp !== 'open') throw new SluiceError('sign_up_closed');
      if (!this.#isSameBrowser(found.id, browser)) await this.#requirePassword(found, password ?? null);
      return this.#open(found, origin);
    });
  }

  #isSameBrowser(signUpId: string, browser: string | null): boolean {
    return this.#dependencies.seal.open(PURPOSE, browser, browserSchema)?.value.signUpId === signUpId;
  }

  async #requirePassword({ id, passwordHash }: PendingSignUp, password: string | null): Promise<void> {
    if (password === null || password === '') throw new SluiceError('sign_up_password_required');
    const { accounts } = this.#dependencies.throttles;
    await accounts.attempt(`sign-up ${id}`);
    if (!(await verifyPassword(passwordHash, password))) throw new SluiceError('invalid_credentials');
    accounts.succeeded(`sign-up ${id}`);
  }

  async #open({ id, tokenHash, email, name, passwordHash }: PendingSignUp, origin: SessionOrigin): Promise<SignedIn> {
    const { database, sessions, defaultPlan, devices } = this.#dependencies;
    try {
      const { user, session } = await database.em().transactional(async (em) => {
        // Deleted first, so that of two concurrent calls one finds nothing.
        const removed = await em.nativeDelete(PendingSignUp, { id, tokenHash });
        if (removed === 0) throw new SluiceError('invalid_token');
        const { user } = buildUser(em, { email, name, passwordHash, plan: defaultPlan(), emailVerified: true });
        return { user, session: sessions.build(em, user, origin) };
      });
      return { ...session, userId: user.id, device: devices.remember(email) };
    } catch (error) {
      throw error instanceof UniqueConstraintViolationException ? new SluiceError('email_taken') : error;
    }
  }
}
