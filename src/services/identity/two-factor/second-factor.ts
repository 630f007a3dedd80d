import { LockMode } from '@mikro-orm/core';
import { Secret, TOTP } from 'otpauth';
import { systemClock, type Clock } from '../../../calendar/clock.ts';
import { actAs, userActor } from '../../../database/audit/audit-context.ts';
import type { Database } from '../../../database/database.ts';
import { RecoveryCode, User } from '../../../database/entities/index.ts';
import { SluiceError } from '../../../errors/index.ts';
import type { SignInThrottle } from '../../accounts/sign-in-throttle.ts';
import { recordFailure, recordOfUser } from '../../audit/sign-ins.ts';
import type { CredentialVault } from '../../connections/credential-vault.ts';
import type { IdentityMails } from '../mails/identity-mails.ts';
import { renewRecoveryCodes, useRecoveryCode } from './recovery-codes.ts';

/** RFC 6238 with the parameters that all authenticator apps support: SHA-1, six digits, 30 seconds. */
const PERIOD_SECONDS = 30;
const DIGITS = 6;
const SECRET_BYTES = 20;
/** Clocks may be off by one step in either direction. */
const WINDOW = 1;
const SERVICE = 'Sluice';

export interface SecondFactorDependencies {
  readonly database: Database;
  readonly vault: CredentialVault;
  readonly throttle: SignInThrottle;
  readonly mails: Pick<IdentityMails, 'notify'>;
  readonly clock?: Clock;
}

export interface TotpSetup {
  /** Base32, for manual entry. */
  readonly secret: string;
  /** An `otpauth://` URI, for a QR code. */
  readonly uri: string;
}

/** Two-factor authentication by an authenticator app, required at every sign-in of users who enabled it. */
export class SecondFactor {
  readonly #dependencies: SecondFactorDependencies;

  constructor(dependencies: SecondFactorDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Accepts users without two-factor authentication, a code of the app, or a recovery code. A code can be used once.
   * @throws SluiceError totp_required | invalid_totp | too_many_attempts
   */
  async check(user: User, given: string | null | undefined): Promise<void> {
    if (user.totpSecret === null) return;
    const code = given?.trim() ?? '';
    if (code === '') throw new SluiceError('totp_required');
    await this.#throttled(user, async () => {
      const isRight = await (isAppCode(code) ? this.#takeAppCode(user, code) : this.#takeRecoveryCode(user, code));
      // The password or the identity provider was already accepted.
      if (!isRight) await recordFailure(this.#dependencies.database.em(), user, 'user.second_factor_failed');
      return isRight;
    });
  }

  /** A new secret, which takes effect once it is confirmed. @throws SluiceError totp_already_enabled */
  async start(user: User): Promise<TotpSetup> {
    const secret = new Secret({ size: SECRET_BYTES });
    const draft = this.#dependencies.vault.seal(secret.base32, ownerOf(user));
    const em = this.#dependencies.database.em();
    const stored = await em.nativeUpdate(User, { id: user.id, totpSecret: null }, { totpDraft: draft });
    if (stored === 0) throw new SluiceError('totp_already_enabled');
    return { secret: secret.base32, uri: totpOf(secret.base32, user.email).toString() };
  }

  /**
   * Enables two-factor authentication.
   * @returns recovery codes, shown only now
   * @throws SluiceError totp_already_enabled | totp_not_started | invalid_totp | too_many_attempts
   */
  async confirm(user: User, code: string): Promise<string[]> {
    const { totpDraft: draft } = user;
    if (user.totpSecret !== null) throw new SluiceError('totp_already_enabled');
    if (draft === null) throw new SluiceError('totp_not_started');
    let step: number | null = null;
    await this.#throttled(user, async () => {
      step = this.#stepOf(user, draft, code.trim());
      return step !== null;
    });
    return this.#dependencies.database.em().transactional(async (em) => {
      const row = await em.findOneOrFail(User, { id: user.id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (row.totpSecret !== null) throw new SluiceError('totp_already_enabled');
      if (row.totpDraft?.equals(draft) !== true) throw new SluiceError('totp_not_started');
      Object.assign(row, { totpSecret: draft, totpDraft: null, totpLastStep: step });
      return renewRecoveryCodes(em, user.id);
    });
  }

  async turnOff(userId: string): Promise<void> {
    await this.#dependencies.database.em().transactional(async (em) => {
      const user = await em.findOneOrFail(User, { id: userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      Object.assign(user, { totpSecret: null, totpDraft: null, totpLastStep: null });
      await em.nativeDelete(RecoveryCode, { user: userId });
    });
  }

  /** @returns new recovery codes, shown only now */
  renewCodes(userId: string): Promise<string[]> {
    return this.#dependencies.database.em().transactional(async (em) => {
      await recordOfUser(em, await em.findOneOrFail(User, { id: userId }), 'user.recovery_codes_renewed');
      return renewRecoveryCodes(em, userId);
    });
  }

  async #throttled(user: User, isRight: () => Promise<boolean>): Promise<void> {
    const { throttle } = this.#dependencies;
    const subject = `totp ${user.id}`;
    await throttle.attempt(subject);
    if (!(await isRight())) throw new SluiceError('invalid_totp');
    throttle.succeeded(subject);
  }

  async #takeRecoveryCode(user: User, code: string): Promise<boolean> {
    const isRight = await this.#dependencies.database.em().transactional(async (em) => {
      if (!(await useRecoveryCode(em, user.id, code))) return false;
      actAs(userActor(user.id, user.email));
      await recordOfUser(em, user, 'user.recovery_code_used');
      return true;
    });
    if (isRight) this.#dependencies.mails.notify(user.email, 'recovery-code-used');
    return isRight;
  }

  /** Of two concurrent requests with the same code, one is accepted. */
  async #takeAppCode(user: User, code: string): Promise<boolean> {
    const step = user.totpSecret === null ? null : this.#stepOf(user, user.totpSecret, code);
    if (step === null) return false;
    const newer = { $or: [{ totpLastStep: null }, { totpLastStep: { $lt: step } }] };
    const taken = await this.#dependencies.database
      .em()
      .nativeUpdate(User, { id: user.id, totpSecret: user.totpSecret, ...newer }, { totpLastStep: step });
    return taken > 0;
  }

  /** The time step of a code; null if it matches none in the window. */
  #stepOf(user: User, sealed: Buffer, code: string): number | null {
    if (!isAppCode(code)) return null;
    const timestamp = (this.#dependencies.clock ?? systemClock).now();
    const totp = totpOf(this.#dependencies.vault.open(sealed, ownerOf(user)), user.email);
    const delta = totp.validate({ token: code.replaceAll(' ', ''), timestamp, window: WINDOW });
    return delta === null ? null : totp.counter({ timestamp }) + delta;
  }
}

function isAppCode(code: string): boolean {
  return /^\d{3} ?\d{3}$/.test(code);
}

function totpOf(secret: string, email: string): TOTP {
  return new TOTP({
    issuer: SERVICE,
    label: email,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: DIGITS,
    period: PERIOD_SECONDS,
  });
}

function ownerOf({ id }: User): { accountId: string; rowId: string } {
  return { accountId: id, rowId: 'totp' };
}
