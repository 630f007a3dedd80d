import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import type { ErrorCode } from '../../errors/index.ts';
import type { ProfileService } from '../../services/identity/profile.service.ts';
import type { TwoFactorService } from '../../services/identity/two-factor/two-factor.service.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { asFailure } from '../operation/failures.ts';
import { TotpConfirmationInput } from './identity.input.ts';
import { toUser } from './identity.mapping.ts';
import {
  ConfirmTotpFailure,
  ConfirmTotpResult,
  DisableTotpFailure,
  DisableTotpResult,
  RecoveryCodes,
  RenewRecoveryCodesFailure,
  RenewRecoveryCodesResult,
  StartTotpFailure,
  StartTotpResult,
  TotpSetup,
} from './identity.types.ts';

const confirmationFailures: readonly ErrorCode[] = [
  'invalid_credentials',
  'totp_required',
  'invalid_totp',
  'totp_not_enabled',
  'password_not_set',
  'too_many_attempts',
];

/** The viewer's authenticator app. */
@Resolver()
export class TwoFactorResolver {
  readonly #twoFactor: TwoFactorService;
  readonly #profiles: ProfileService;

  constructor(twoFactor: TwoFactorService, profiles: ProfileService) {
    this.#twoFactor = twoFactor;
    this.#profiles = profiles;
  }

  @Mutation(() => StartTotpResult, { description: 'Starts the setup of an authenticator app for the viewer.' })
  async startTotp(
    @Arg('password', () => String, { description: 'The current password.' }) password: string,
    @Ctx() context: GraphqlContext,
  ): Promise<typeof StartTotpResult> {
    const { userId } = await context.requireSession();
    return this.#twoFactor
      .start(userId, password)
      .then((setup): typeof StartTotpResult => Object.assign(new TotpSetup(), setup))
      .catch((error: unknown) =>
        asFailure(new StartTotpFailure(), error, [
          'invalid_credentials',
          'password_not_set',
          'email_not_verified',
          'totp_already_enabled',
          'too_many_attempts',
        ]),
      );
  }

  @Mutation(() => ConfirmTotpResult, {
    description: 'Completes the setup of an authenticator app with a code. Every sign-in then requires a code.',
  })
  async confirmTotp(
    @Arg('code', () => String, { description: 'A code of the authenticator app.' }) code: string,
    @Ctx() context: GraphqlContext,
  ): Promise<typeof ConfirmTotpResult> {
    const { userId } = await context.requireSession();
    return this.#twoFactor
      .confirm(userId, code)
      .then((codes): typeof ConfirmTotpResult => Object.assign(new RecoveryCodes(), { codes }))
      .catch((error: unknown) =>
        asFailure(new ConfirmTotpFailure(), error, [
          'invalid_totp',
          'totp_not_started',
          'totp_already_enabled',
          'too_many_attempts',
        ]),
      );
  }

  @Mutation(() => DisableTotpResult, { description: 'Disables two-factor authentication.' })
  async disableTotp(
    @Arg('input', () => TotpConfirmationInput, { description: 'The password and a two-factor code.' })
    input: TotpConfirmationInput,
    @Ctx() context: GraphqlContext,
  ): Promise<typeof DisableTotpResult> {
    const { userId } = await context.requireSession();
    return this.#twoFactor
      .disable(userId, input)
      .then(async (): Promise<typeof DisableTotpResult> => toUser(await this.#profiles.profile(userId)))
      .catch((error: unknown) => asFailure(new DisableTotpFailure(), error, confirmationFailures));
  }

  @Mutation(() => RenewRecoveryCodesResult, {
    description: 'Creates new recovery codes. Previous codes become invalid.',
  })
  async renewRecoveryCodes(
    @Arg('input', () => TotpConfirmationInput, { description: 'The password and a two-factor code.' })
    input: TotpConfirmationInput,
    @Ctx() context: GraphqlContext,
  ): Promise<typeof RenewRecoveryCodesResult> {
    const { userId } = await context.requireSession();
    return this.#twoFactor
      .renewCodes(userId, input)
      .then((codes): typeof RenewRecoveryCodesResult => Object.assign(new RecoveryCodes(), { codes }))
      .catch((error: unknown) => asFailure(new RenewRecoveryCodesFailure(), error, confirmationFailures));
  }
}
