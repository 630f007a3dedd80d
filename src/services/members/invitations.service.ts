import { hash, randomBytes } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { Account, Invitation, Membership, User, type MembershipRole } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { Mailer } from '../../mail/mail.ts';
import { requireAssignableRole } from '../authorization/authorization.ts';
import { parseEmail } from '../accounts/build-account.ts';
import type { SessionsService } from '../sessions/sessions.service.ts';
import type { SignInThrottle } from '../accounts/sign-in-throttle.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { isUuid } from '../uuid.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { requireInviter } from './inviters.ts';
import { invitationMail } from './invitation-mail.ts';
import { pageOf, type Page, type PageRequest } from '../page-by-creation.ts';

const LIFETIME_MS = 7 * 86_400_000;
const MAX_OPEN = 100;
const TOKEN_BYTES = 32;
/** 256 bits in base64url. */
const TOKEN_FORM = /^[\w-]{43}$/;

export interface InvitationsDependencies {
  readonly database: Database;
  readonly mailer: Pick<Mailer, 'send'>;
  readonly sessions: Pick<SessionsService, 'membershipChanged'>;
  /** Limits messages by account and by recipient, so that strangers cannot be flooded. */
  readonly throttle: Pick<SignInThrottle, 'attempt'>;
  readonly recipientThrottle?: Pick<SignInThrottle, 'attempt'>;
  /**
   * Whether messages leave this machine: then inviters must have a confirmed address, which the message names, and the link
   * proves the recipient's address. Otherwise the inviter receives the link to pass it on.
   */
  readonly sendsMail?: boolean;
  /** Whether the operator allows invitations. */
  readonly isOpen?: boolean;
  /** The public origin of this server: `https://gateway.example`. */
  readonly publicUrl: () => string;
  readonly clock?: Clock;
}

export interface SentInvitation {
  readonly id: string;
  readonly invitation: Invitation;
  /** The link to pass on, shown once, if no mail can be sent. Else null: it is only in the message. */
  readonly link: string | null;
}

/** What the holder of a link may see. */
export interface InvitationOffer {
  readonly accountName: string;
  readonly role: MembershipRole;
  readonly email: string;
  readonly expired: boolean;
}

export interface Joined {
  readonly account: Account;
  readonly role: MembershipRole;
}

/**
 * Invites people to accounts. A token is in one message, and only its hash is stored; it can be used once within a week, by
 * the owner of the invited address. Another account's invitation is not found. Every method also throws SluiceError
 * database_unavailable.
 */
export class InvitationsService {
  readonly #dependencies: InvitationsDependencies;
  readonly #clock: Clock;

  constructor(dependencies: InvitationsDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
  }

  /** Open invitations, including expired ones, in the order of creation. */
  list(accountId: string, page: PageRequest): Promise<Page<Invitation>> {
    return mapDatabaseErrors(() => {
      const em = this.#dependencies.database.em();
      return pageOf(page, (conditions, options) =>
        em.find(Invitation, { $and: [open(accountId), ...conditions] }, { ...options, populate: ['invitedBy'] }),
      );
    });
  }

  count(accountId: string): Promise<number> {
    return mapDatabaseErrors(() => this.#dependencies.database.em().count(Invitation, open(accountId)));
  }

  /**
   * @param own the inviter's roles
   * @throws SluiceError invalid_email | forbidden | already_member | already_invited | too_many_invitations |
   * too_many_attempts | invitations_closed | email_not_verified
   */
  async invite(
    accountId: string,
    by: { readonly userId: string | null; readonly own: readonly MembershipRole[] },
    input: { readonly email: string; readonly role: MembershipRole },
  ): Promise<SentInvitation> {
    const email = parseEmail(input.email);
    requireAssignableRole(by.own, input.role);
    this.#requireOpen();
    if (by.userId !== null) await this.#requireVerified(by.userId);
    await this.#countMessage(accountId, email);
    const token = newToken();
    const invitation = await mapDatabaseErrors(() =>
      this.#dependencies.database.em().transactional(async (em) => {
        const account = await lockAccount(em, accountId);
        if (by.userId !== null) await requireInviter(em, accountId, by.userId, input.role);
        if ((await em.count(Membership, { account, user: { email } })) > 0) throw new SluiceError('already_member');
        const now = this.#now();
        const waiting = await em.findOne(Invitation, { ...open(accountId), email });
        if (waiting !== null && waiting.expiresAt > now) throw new SluiceError('already_invited');
        if (waiting !== null) waiting.revokedAt = now;
        if ((await em.count(Invitation, open(accountId))) >= MAX_OPEN)
          throw new SluiceError('too_many_invitations', { values: { limit: MAX_OPEN } });
        // The previous one first, because only one per address may be open.
        await em.flush();
        const made = em.create(Invitation, {
          account,
          email,
          role: input.role,
          tokenHash: hashOf(token),
          invitedBy: by.userId === null ? null : em.getReference(User, by.userId),
          createdAt: now,
          expiresAt: new Date(now.getTime() + LIFETIME_MS),
        });
        await em.persist(made).flush();
        await em.populate(made, ['account', 'invitedBy']);
        return made;
      }),
    );
    return this.#send(invitation, token);
  }

  /** Sends a new token; the previous one becomes invalid. @throws SluiceError not_found | forbidden | too_many_attempts */
  async resend(accountId: string, own: readonly MembershipRole[], id: string): Promise<SentInvitation> {
    this.#requireOpen();
    const token = newToken();
    const invitation = await this.#change(accountId, own, id, async (found) => {
      if (found.invitedBy !== null) this.#requireProved(found.invitedBy);
      await this.#countMessage(accountId, found.email);
      found.tokenHash = hashOf(token);
      found.expiresAt = new Date(this.#clock.now() + LIFETIME_MS);
    });
    return this.#send(invitation, token);
  }

  /** @throws SluiceError not_found | forbidden */
  async revoke(accountId: string, own: readonly MembershipRole[], id: string): Promise<void> {
    await this.#change(accountId, own, id, (found) => {
      found.revokedAt = this.#now();
    });
  }

  /** The account's open invitations among these ids. */
  byIds(accountId: string, ids: readonly string[]): Promise<Invitation[]> {
    const where = { ...open(accountId), id: { $in: ids.filter(isUuid) } };
    return mapDatabaseErrors(() =>
      this.#dependencies.database.em().find(Invitation, where, { populate: ['invitedBy'] }),
    );
  }

  /** Null if the token is unknown, used, replaced or revoked. */
  offer(token: string): Promise<InvitationOffer | null> {
    return mapDatabaseErrors(async () => {
      if (!TOKEN_FORM.test(token)) return null;
      const found = await this.#dependencies.database
        .em()
        .findOne(Invitation, byToken(token), { populate: ['account'] });
      if (found === null || found.account.erasedAfter !== null) return null;
      const { account, role, email, expiresAt } = found;
      return { accountName: account.name, role, email, expired: expiresAt <= this.#now() };
    });
  }

  /** Requires a valid invitation for this address. @throws SluiceError invitation_invalid | invitation_for_other */
  requireFor(token: string, email: string): Promise<void> {
    return mapDatabaseErrors(async () => {
      const offer = await this.offer(token);
      if (offer === null || offer.expired) throw new SluiceError('invitation_invalid');
      if (offer.email !== email) throw new SluiceError('invitation_for_other');
    });
  }

  /** Adds the user to the account. @throws SluiceError invitation_invalid | invitation_for_other | already_member */
  async accept(token: string, userId: string): Promise<Joined> {
    const joined = await mapDatabaseErrors(() =>
      this.#dependencies.database.em().transactional(async (em) => {
        const user = await em.findOneOrFail(User, { id: userId });
        return this.take(em, token, user);
      }),
    );
    this.#dependencies.sessions.membershipChanged(userId, joined.account.id);
    return joined;
  }

  /**
   * As `accept`, in the caller's transaction, for a new user.
   * @throws SluiceError invitation_invalid | invitation_for_other | already_member
   */
  async take(em: EntityManager, token: string, user: User): Promise<Joined> {
    if (!TOKEN_FORM.test(token)) throw new SluiceError('invitation_invalid');
    const lock = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
    const invitation = await em.findOne(Invitation, byToken(token), lock);
    if (invitation === null || invitation.expiresAt <= this.#now()) throw new SluiceError('invitation_invalid');
    const account = await em.findOneOrFail(Account, { id: invitation.account.id });
    if (account.erasedAfter !== null) throw new SluiceError('invitation_invalid');
    if (invitation.email !== user.email) throw new SluiceError('invitation_for_other');
    if ((await em.count(Membership, { account, user })) > 0) throw new SluiceError('already_member');
    // The token was mailed to this address only. Without mail the inviter knows it too, so it proves nothing.
    if (this.#dependencies.sendsMail === true) user.emailVerifiedAt ??= this.#now();
    return join(em, user, account, invitation, this.#now());
  }

  /**
   * As `accept`, for a new user whose address is verified by other means, by the latest invitation of the address; earlier
   * ones still require their links.
   * @returns false if there is none
   */
  async takeFor(em: EntityManager, user: User): Promise<boolean> {
    const now = this.#now();
    const waiting = await em.find(
      Invitation,
      { email: user.email, acceptedAt: null, revokedAt: null, expiresAt: { $gt: now } },
      { orderBy: { createdAt: 'desc' }, lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    for (const invitation of waiting) {
      const account = await em.findOneOrFail(Account, { id: invitation.account.id });
      if (account.erasedAfter !== null) continue;
      join(em, user, account, invitation, now);
      return true;
    }
    return false;
  }

  #requireOpen(): void {
    if (this.#dependencies.isOpen === false) throw new SluiceError('invitations_closed');
  }

  async #requireVerified(userId: string): Promise<void> {
    if (this.#dependencies.sendsMail !== true) return;
    const em = this.#dependencies.database.em();
    this.#requireProved(await mapDatabaseErrors(() => em.findOneOrFail(User, { id: userId })));
  }

  #requireProved({ emailVerifiedAt }: Pick<User, 'emailVerifiedAt'>): void {
    if (this.#dependencies.sendsMail === true && emailVerifiedAt === null) throw new SluiceError('email_not_verified');
  }

  async #countMessage(accountId: string, email: string): Promise<void> {
    await this.#dependencies.throttle.attempt(accountId);
    await this.#dependencies.recipientThrottle?.attempt(email);
  }

  #now(): Date {
    return new Date(this.#clock.now());
  }

  async #change(
    accountId: string,
    own: readonly MembershipRole[],
    id: string,
    change: (invitation: Invitation) => void | Promise<void>,
  ): Promise<Invitation> {
    if (!isUuid(id)) throw notFound();
    return mapDatabaseErrors(() =>
      this.#dependencies.database.em().transactional(async (em) => {
        await lockAccount(em, accountId);
        const populate = ['account', 'invitedBy'] as const;
        const found = await em.findOne(Invitation, { ...open(accountId), id }, { populate });
        if (found === null) throw notFound();
        requireAssignableRole(own, found.role);
        await change(found);
        await em.flush();
        return found;
      }),
    );
  }

  async #send(invitation: Invitation, token: string): Promise<SentInvitation> {
    const { email, role, invitedBy, expiresAt } = invitation;
    // In the fragment, which browsers never send: no proxy or server logs it.
    const url = new URL(`/invitation#token=${token}`, this.#dependencies.publicUrl()).href;
    await this.#dependencies.mailer.send(
      invitationMail({ to: email, role, inviter: invitedBy?.email ?? null, url, expiresAt }),
    );
    return { id: invitation.id, invitation, link: this.#dependencies.sendsMail === true ? null : url };
  }
}

function join(em: EntityManager, user: User, account: Account, invitation: Invitation, now: Date): Joined {
  const { role } = invitation;
  invitation.acceptedAt = now;
  em.persist(em.create(Membership, { user, account, role, createdAt: now }));
  return { account, role };
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

function open(accountId: string) {
  return { account: accountId, acceptedAt: null, revokedAt: null };
}

function byToken(token: string) {
  return { tokenHash: hashOf(token), acceptedAt: null, revokedAt: null };
}

function notFound(): SluiceError {
  return new SluiceError('not_found', { values: { what: 'invitation' } });
}
