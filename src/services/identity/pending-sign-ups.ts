import { hash, randomBytes, randomUUID } from 'node:crypto';
import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { z } from 'zod';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { PendingSignUp } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { buildUser, type SignedIn, type SignInThrottles, type SignUpPolicy } from '../accounts/accounts.service.ts';
import type { KnownDevices } from '../accounts/known-devices.ts';
import { networkOf } from '../accounts/network-of.ts';
import { verifyPassword } from '../accounts/passwords.ts';
import type { SessionOrigin, SessionsService } from '../accounts/sessions.service.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import type { CookieSeal } from './cookie-seal.ts';
import type { IdentityMails } from './identity-mails.ts';

const HOUR_MS = 3_600_000;
/** How long the link in the mail works. */
export const SIGN_UP_MS = 24 * HOUR_MS;
/** To one address, whoever asks and wherever from: nobody's mailbox is flooded from here. */
const MAX_MAILS_AN_HOUR = 3;
const TOKEN_FORM = /^[\w-]{43}$/;
const PURPOSE = 'sign-up';

const browserSchema = z.object({ signUpId: z.uuid() });

/** What somebody is told who asked for an account: the same whether the address has a user or not. */
export interface StartedSignUp {
  readonly pendingEmail: string;
  /** What the browser keeps, so that the link signs in there without the password. */
  readonly browser: string;
}

export interface PendingSignUpsParts {
  readonly database: Database;
  readonly sessions: SessionsService;
  readonly throttles: SignInThrottles;
  /** Of sign-ups that send mail, by network. */
  readonly mailThrottle: Pick<SignInThrottles['addresses'], 'attempt'>;
  readonly signUp: SignUpPolicy;
  readonly defaultPlan: () => string;
  readonly mails: Pick<IdentityMails, 'signUp'>;
  readonly seal: CookieSeal;
  readonly devices: Pick<KnownDevices, 'remember'>;
  readonly clock?: Clock;
}

export interface SignUpProof {
  /** Of the link in the mail. */
  readonly token: string;
  /** Needed in another browser than the one that signed up. */
  readonly password?: string | null | undefined;
}

/**
 * Sign-ups whose address is not proved yet. Nothing here looks whether the address has a user: that is looked at when the message
 * is made, by a job. There is a user only once the link in the message is followed, by who also signed up: in the same browser,
 * or with the password. Else whoever signs up with another's address would get an account that its owner confirmed.
 */
export class PendingSignUps {
  readonly #parts: PendingSignUpsParts;
  readonly #clock: Clock;

  constructor(parts: PendingSignUpsParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
  }

  /** @throws SluiceError too_many_attempts, by the asking network alone */
  async begin(
    given: { readonly email: string; readonly name: string; readonly passwordHash: string },
    origin: SessionOrigin,
  ): Promise<StartedSignUp> {
    const { database, mailThrottle, mails, seal } = this.#parts;
    mailThrottle.attempt(`sign-up mail ${networkOf(origin.address)}`);
    const id = randomUUID();
    const now = this.#clock.now();
    const em = database.em();
    em.persist(
      em.create(PendingSignUp, { ...given, id, createdAt: new Date(now), expiresAt: new Date(now + SIGN_UP_MS) }),
    );
    await em.flush();
    await mails.signUp(id);
    return { pendingEmail: given.email, browser: seal.seal(PURPOSE, { signUpId: id }, SIGN_UP_MS) };
  }

  /**
   * Makes the user and their account, by the link in the mail, and signs them in.
   * @param browser what this browser kept of `begin`
   * @throws SluiceError invalid_token | sign_up_closed | sign_up_password_required | invalid_credentials | email_taken | too_many_attempts
   */
  confirm({ token, password }: SignUpProof, browser: string | null, origin: SessionOrigin): Promise<SignedIn> {
    return mapDatabaseErrors(async () => {
      const { database, throttles, signUp } = this.#parts;
      const from = `sign-up-token ${networkOf(origin.address)}`;
      throttles.addresses.attempt(from);
      const found = TOKEN_FORM.test(token)
        ? await database.em().findOne(PendingSignUp, {
            tokenHash: hashOf(token),
            expiresAt: { $gt: new Date(this.#clock.now()) },
          })
        : null;
      if (found === null || found.passwordHash === null) throw new SluiceError('invalid_token');
      throttles.addresses.takeBack(from);
      if (signUp !== 'open') throw new SluiceError('sign_up_closed');
      if (!this.#isSameBrowser(found.id, browser)) await this.#requirePassword(found, password ?? null);
      return this.#open(found, origin);
    });
  }

  #isSameBrowser(signUpId: string, browser: string | null): boolean {
    return this.#parts.seal.open(PURPOSE, browser, browserSchema)?.value.signUpId === signUpId;
  }

  async #requirePassword({ id, passwordHash }: PendingSignUp, password: string | null): Promise<void> {
    if (password === null || password === '') throw new SluiceError('sign_up_password_required');
    const { accounts } = this.#parts.throttles;
    accounts.attempt(`sign-up ${id}`);
    if (!(await verifyPassword(passwordHash, password))) throw new SluiceError('invalid_credentials');
    accounts.succeeded(`sign-up ${id}`);
  }

  async #open({ id, tokenHash, email, name, passwordHash }: PendingSignUp, origin: SessionOrigin): Promise<SignedIn> {
    const { database, sessions, defaultPlan, devices } = this.#parts;
    try {
      const { user, session } = await database.em().transactional(async (em) => {
        // Removed first: of two that follow the link at once, one finds nothing.
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

/** What a job of a sign-up sends: a link for a new address, or that it has a user; nothing where enough was sent of late. */
export type SignUpMail = { readonly to: string; readonly token: string | null };

/** Decides what a sign-up's mail says, and stores the hash of its token. A repeated call makes the token anew. */
export async function prepareSignUpMail(
  database: Database,
  signUpId: string,
  clock: Clock = systemClock,
): Promise<SignUpMail | null> {
  const em = database.em();
  const now = clock.now();
  const found = await em.findOne(PendingSignUp, { id: signUpId, expiresAt: { $gt: new Date(now) } });
  if (found === null) return null;
  const sent = { email: found.email, id: { $ne: signUpId }, sentAt: { $gt: new Date(now - HOUR_MS) } };
  if ((await em.count(PendingSignUp, sent)) >= MAX_MAILS_AN_HOUR) return null;
  const isKnown = await isUser(database, found.email);
  const token = isKnown ? null : randomBytes(32).toString('base64url');
  found.tokenHash = token === null ? null : hashOf(token);
  // Of no use any more: nobody becomes a user by this one.
  if (isKnown) found.passwordHash = null;
  found.sentAt = new Date(now);
  await em.flush();
  return { to: found.email, token };
}

async function isUser(database: Database, email: string): Promise<boolean> {
  const rows = await database.query<{ id: string }>('select id from users where email = $1', [email]);
  return rows.length > 0;
}

function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
