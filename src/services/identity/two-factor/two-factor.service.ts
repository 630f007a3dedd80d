import type { Database } from '../../../database/database.ts';
import type { User } from '../../../database/entities/index.ts';
import { SluiceError } from '../../../errors/index.ts';
import type { SignInThrottle } from '../../accounts/sign-in-throttle.ts';
import { mapDatabaseErrors } from '../../database-availability.ts';
import type { IdentityMails } from '../mails/identity-mails.ts';
import { confirmPassword, ownUser } from '../own-user.ts';
import type { SecondFactor, TotpSetup } from './second-factor.ts';

export interface TwoFactorDependencies {
  readonly database: Database;
  readonly secondFactor: SecondFactor;
  readonly throttle: SignInThrottle;
  readonly mails: Pick<IdentityMails, 'notify'>;
}

/** Manages a user's own authenticator app. Every method also throws SluiceError database_unavailable. */
export class TwoFactorService {
  readonly #dependencies: TwoFactorDependencies;

  constructor(dependencies: TwoFactorDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Requires a confirmed address: someone who signed up with another person's address must not lock its owner out.
   * @throws SluiceError password_not_set | invalid_credentials | too_many_attempts | email_not_verified | totp_already_enabled
   */
  start(userId: string, password: string): Promise<TotpSetup> {
    return mapDatabaseErrors(async () => {
      const user = await this.#confirmed(userId, password);
      if (user.emailVerifiedAt === null) throw new SluiceError('email_not_verified');
      return this.#dependencies.secondFactor.start(user);
    });
  }

  /**
   * @returns recovery codes, shown only now @throws SluiceError totp_already_enabled | totp_not_started | invalid_totp |
   * too_many_attempts
   */
  confirm(userId: string, code: string): Promise<string[]> {
    return mapDatabaseErrors(async () => {
      const user = await ownUser(this.#dependencies.database, userId);
      const codes = await this.#dependencies.secondFactor.confirm(user, code);
      this.#dependencies.mails.notify(user.email, 'totp-enabled');
      return codes;
    });
  }

  /** @throws SluiceError invalid_credentials | totp_not_enabled | totp_required | invalid_totp | too_many_attempts */
  disable(userId: string, input: { password: string; code: string }): Promise<void> {
    return mapDatabaseErrors(async () => {
      const user = await this.#withBoth(userId, input);
      await this.#dependencies.secondFactor.turnOff(user.id);
      this.#dependencies.mails.notify(user.email, 'totp-disabled');
    });
  }

  /** @returns new recovery codes, shown only now @throws as `disable` */
  renewCodes(userId: string, input: { password: string; code: string }): Promise<string[]> {
    return mapDatabaseErrors(async () => {
      const user = await this.#withBoth(userId, input);
      const codes = await this.#dependencies.secondFactor.renewCodes(user.id);
      this.#dependencies.mails.notify(user.email, 'recovery-codes-renewed');
      return codes;
    });
  }

  async #withBoth(userId: string, { password, code }: { password: string; code: string }): Promise<User> {
    const user = await this.#confirmed(userId, password);
    if (user.totpSecret === null) throw new SluiceError('totp_not_enabled');
    await this.#dependencies.secondFactor.check(user, code);
    return user;
  }

  async #confirmed(userId: string, password: string): Promise<User> {
    const user = await ownUser(this.#dependencies.database, userId);
    await confirmPassword(user, password, this.#dependencies.throttle);
    return user;
  }
}
