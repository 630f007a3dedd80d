import { z } from 'zod';
import { systemClock, type Clock } from '../../../calendar/clock.ts';
import type { Database } from '../../../database/database.ts';
import { Session } from '../../../database/entities/index.ts';
import { SluiceError } from '../../../errors/index.ts';
import type { SessionIdentity } from '../../sessions/sessions.service.ts';
import type { SignInThrottle } from '../../accounts/sign-in-throttle.ts';
import { mapDatabaseErrors } from '../../database-availability.ts';
import type { CookieSeal } from '../cookie-seal.ts';
import { confirmPassword, ownUser } from '../own-user.ts';
import type { SecondFactor } from '../two-factor/second-factor.ts';
import { spend } from '../spent-tokens.ts';

const MINUTE_MS = 60_000;
const LIFETIME_MS = MINUTE_MS;
/** How long a sign-in replaces the password, for users without one. */
const RECENT_MS = 10 * MINUTE_MS;

const ticketSchema = z.object({ provider: z.string(), sessionId: z.uuid() });

/** The proof that a user provides beside their session before an identity is linked. */
export interface LinkProof {
  readonly password?: string | null | undefined;
  readonly code?: string | null | undefined;
}

type Linker = Pick<SessionIdentity, 'userId' | 'sessionId'>;

export interface LinkTicketsDependencies {
  readonly database: Database;
  readonly seal: CookieSeal;
  readonly secondFactor: Pick<SecondFactor, 'check'>;
  readonly throttle: SignInThrottle;
  readonly clock?: Clock;
}

/**
 * Tickets that allow a session to link an identity of one provider, once: an identity is a permanent credential, which an
 * unattended session must not add. A ticket is valid only with its session, so it may be part of a URL.
 */
export class LinkTickets {
  readonly #dependencies: LinkTicketsDependencies;

  constructor(dependencies: LinkTicketsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Requires the password and, from users with an authenticator app, its code. Users without a password have no app either and
   * can only prove a sign-in at their provider, so that must be recent.
   * @throws SluiceError email_not_verified | invalid_credentials | recent_sign_in_required | totp_required | invalid_totp |
   * too_many_attempts | database_unavailable
   */
  issue(linker: Linker, provider: string, { password, code }: LinkProof): Promise<string> {
    return mapDatabaseErrors(async () => {
      const { database, seal, secondFactor, throttle } = this.#dependencies;
      const user = await ownUser(database, linker.userId);
      // Someone who signed up with another person's address must not retain access when its owner reclaims it.
      if (user.emailVerifiedAt === null) throw new SluiceError('email_not_verified');
      if (user.passwordHash === null) await this.#requireRecent(linker);
      else await confirmPassword(user, password ?? '', throttle);
      await secondFactor.check(user, code);
      const ticket: z.infer<typeof ticketSchema> = { provider, sessionId: linker.sessionId };
      return seal.seal('link', ticket, LIFETIME_MS);
    });
  }

  /** @throws SluiceError sign_in_expired | database_unavailable */
  async take(linker: Linker, provider: string, given: string): Promise<void> {
    const opened = this.#dependencies.seal.open('link', given, ticketSchema);
    const isOwn = opened?.value.provider === provider && opened.value.sessionId === linker.sessionId;
    if (!isOwn || !(await spend(this.#dependencies.database, opened.id, opened.expiresAt)))
      throw new SluiceError('sign_in_expired');
  }

  async #requireRecent({ sessionId }: Linker): Promise<void> {
    const { database, clock = systemClock } = this.#dependencies;
    const createdAt = { $gt: new Date(clock.now() - RECENT_MS) };
    const recent = await database.em().count(Session, { id: sessionId, createdAt });
    if (recent === 0) throw new SluiceError('recent_sign_in_required');
  }
}
