import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { Account, ApiKey, Membership, User } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';

const emailSchema = z.email().max(254);
const MAX_NAME_LENGTH = 100;

/** A user with their own account and its built-in objects. */
export function buildUser(
  em: EntityManager,
  input: {
    email: string;
    name: string;
    passwordHash: string | null;
    plan: string;
    emailVerified?: boolean;
    isOperator?: boolean;
  },
): { user: User; account: Account } {
  const user = newUser(em, input);
  const { plan, isOperator } = input;
  return { user, account: buildAccount(em, user, { name: `${input.name}'s account`, plan, isOperator }) };
}

/** A user without an account. */
export function newUser(
  em: EntityManager,
  input: { email: string; name: string; passwordHash: string | null; emailVerified?: boolean },
): User {
  const { email, name, passwordHash, emailVerified } = input;
  const createdAt = new Date();
  const user = em.create(User, {
    email,
    name,
    passwordHash,
    emailVerifiedAt: emailVerified ? createdAt : null,
    createdAt,
  });
  em.persist(user);
  return user;
}

export interface AccountTerms {
  readonly name: string;
  readonly plan: string;
  readonly timeZone?: string | undefined;
  /** Whether its owner is neither verified nor approved yet. */
  readonly spendingRestricted?: boolean | undefined;
  readonly isOperator?: boolean | undefined;
}

/** An account of a user, with its built-in objects. */
export function buildAccount(em: EntityManager, owner: User, terms: AccountTerms): Account {
  const { name, plan, timeZone = 'UTC', spendingRestricted = false, isOperator = false } = terms;
  const createdAt = new Date();
  const account = em.create(Account, {
    name,
    plan,
    timeZone,
    spendingRestricted,
    isOperator,
    planSince: createdAt,
    createdAt,
  });
  const membership = em.create(Membership, { user: owner, account, role: 'owner', createdAt });
  const dashboard = em.create(ApiKey, {
    account,
    name: 'dashboard',
    hint: 'dashboard',
    kind: 'dashboard',
    secretHmac: null,
    scopes: ['inference'],
    createdAt,
  });
  em.persist([account, membership, dashboard]);
  return account;
}

/** @throws SluiceError invalid_email */
export function parseEmail(text: string): string {
  const parsed = emailSchema.safeParse(text.trim().toLowerCase());
  if (!parsed.success) throw new SluiceError('invalid_email');
  return parsed.data;
}

/** @throws SluiceError bad_user_input */
export function parseName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > MAX_NAME_LENGTH || name.includes('\0'))
    throw new SluiceError('bad_user_input', {
      param: 'name',
      values: { reason: `name: must have 1 to ${MAX_NAME_LENGTH} characters` },
    });
  return name;
}
