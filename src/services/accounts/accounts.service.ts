import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { Database } from '../../database/database.ts';
import { Account, ApiKey, Membership, User } from '../../database/entities/index.ts';
import { orUnavailable } from '../database-availability.ts';
import { SluiceError } from '../../errors/index.ts';
import { hashPassword, requireGoodPassword, verifyPassword } from './passwords.ts';
import type { NewSession, SessionOrigin, SessionsService } from './sessions.service.ts';
import type { SignInThrottle } from './sign-in-throttle.ts';

export type SignUpPolicy = 'open' | 'invite' | 'off';

export interface SignInThrottles {
  readonly accounts: SignInThrottle;
  readonly addresses: SignInThrottle;
}

export interface SignedIn extends NewSession {
  readonly userId: string;
}

const emailSchema = z.email().max(254);
const LONGEST_NAME = 100;

/** Users and their accounts: who may come in. */
export class AccountsService {
  readonly #database: Database;
  readonly #sessions: SessionsService;
  readonly #throttles: SignInThrottles;
  readonly #signUp: SignUpPolicy;

  constructor(database: Database, sessions: SessionsService, throttles: SignInThrottles, signUp: SignUpPolicy) {
    this.#database = database;
    this.#sessions = sessions;
    this.#throttles = throttles;
    this.#signUp = signUp;
  }

  /**
   * Makes a user with an account of their own, and signs them in.
   * @throws SluiceError sign_up_closed | invalid_email | weak_password | bad_user_input | email_taken | too_many_attempts
   */
  signUp(input: { email: string; password: string; name: string }, origin: SessionOrigin): Promise<SignedIn> {
    return orUnavailable(async () => {
      if (this.#signUp !== 'open') throw new SluiceError('sign_up_closed');
      const email = parseEmail(input.email);
      const name = parseName(input.name);
      requireGoodPassword(input.password, email);
      this.#throttles.addresses.attempt(`sign-up ${origin.address}`);
      const passwordHash = await hashPassword(input.password);
      const em = this.#database.em();
      const user = buildUser(em, { email, name, passwordHash, plan: 'free' }).user;
      const session = this.#sessions.build(em, user, origin);
      try {
        await em.flush();
      } catch (error) {
        throw error instanceof UniqueConstraintViolationException ? new SluiceError('email_taken') : error;
      }
      return { ...session, userId: user.id };
    });
  }

  /** @throws SluiceError invalid_credentials | too_many_attempts */
  signIn(input: { email: string; password: string }, origin: SessionOrigin): Promise<SignedIn> {
    return orUnavailable(async () => {
      const email = input.email.trim().toLowerCase().slice(0, 300);
      this.#throttles.addresses.attempt(`sign-in ${origin.address}`);
      this.#throttles.accounts.attempt(email);
      const em = this.#database.em();
      const user = await em.findOne(User, { email });
      if (!(await verifyPassword(user?.passwordHash ?? null, input.password)) || user === null)
        throw new SluiceError('invalid_credentials');
      this.#throttles.accounts.succeeded(email);
      this.#throttles.addresses.takeBack(`sign-in ${origin.address}`);
      const session = this.#sessions.build(em, user, origin);
      await em.flush();
      return { ...session, userId: user.id };
    });
  }

  signOut(token: string): Promise<void> {
    return this.#sessions.end(token);
  }

  /** @throws SluiceError not_found */
  account(accountId: string): Promise<Account> {
    return orUnavailable(async () => {
      const account = await this.#database.em().findOne(Account, { id: accountId });
      if (account === null) throw new SluiceError('not_found', { values: { what: 'account' } });
      return account;
    });
  }
}

/** A user, the account that is theirs, and what every account has. */
export function buildUser(
  em: EntityManager,
  input: { email: string; name: string; passwordHash: string; plan: string },
): { user: User; account: Account } {
  const createdAt = new Date();
  const user = em.create(User, { email: input.email, name: input.name, passwordHash: input.passwordHash, createdAt });
  const account = em.create(Account, { name: `${input.name}'s account`, plan: input.plan, createdAt });
  const membership = em.create(Membership, { user, account, role: 'owner', createdAt });
  const dashboard = em.create(ApiKey, {
    account,
    name: 'dashboard',
    hint: 'dashboard',
    kind: 'dashboard',
    secretHmac: null,
    scopes: ['inference'],
    createdAt,
  });
  em.persist([user, account, membership, dashboard]);
  return { user, account };
}

/** @throws SluiceError invalid_email */
export function parseEmail(text: string): string {
  const parsed = emailSchema.safeParse(text.trim().toLowerCase());
  if (!parsed.success) throw new SluiceError('invalid_email');
  return parsed.data;
}

function parseName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > LONGEST_NAME || name.includes('\0'))
    throw new SluiceError('bad_user_input', {
      param: 'name',
      values: { reason: `name: needs 1 to ${LONGEST_NAME} characters` },
    });
  return name;
}
