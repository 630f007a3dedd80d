import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import type { ErrorCode } from '../../errors/index.ts';
import type { AccountsService } from '../../services/identity/accounts.service.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { asFailure } from '../operation/failures.ts';
import { openSession, requireCookies, setSession } from './open-session.ts';
import {
  SignInFailure,
  SignInInput,
  SignInResult,
  SignUpFailure,
  SignUpInput,
  SignUpPending,
  SignUpResult,
} from './sign-in.types.ts';

const signUpFailures: readonly ErrorCode[] = [
  'sign_up_closed',
  'sign_up_not_local',
  'invalid_email',
  'weak_password',
  'email_taken',
  'too_many_attempts',
  'invitation_invalid',
  'invitation_for_other',
];
const signInFailures: readonly ErrorCode[] = [
  'invalid_credentials',
  'totp_required',
  'invalid_totp',
  'too_many_attempts',
];

/** Points: password hashing is slow by design. */
const HASHING_COST = 100;

@Resolver()
export class SignInResolver {
  readonly #accounts: AccountsService;

  constructor(accounts: AccountsService) {
    this.#accounts = accounts;
  }

  @Mutation(() => SignUpResult, {
    description:
      'Creates a user and signs them in. If mail can be sent and the user was not invited, a verification mail is sent first, and its link completes the sign-up.',
    complexity: HASHING_COST,
  })
  async signUp(
    @Arg('input', () => SignUpInput, { description: 'Credentials and profile of the user.' }) input: SignUpInput,
    @Ctx() context: GraphqlContext,
  ): Promise<typeof SignUpResult> {
    try {
      requireCookies(context);
      const outcome = await this.#accounts.signUp(input, context.credentials);
      if (!('pendingEmail' in outcome)) return setSession(context, outcome);
      context.setSignUpCookie?.(outcome.browser);
      return Object.assign(new SignUpPending(), { email: outcome.pendingEmail });
    } catch (error) {
      return asFailure(new SignUpFailure(), error, signUpFailures);
    }
  }

  @Mutation(() => SignInResult, {
    description: 'Signs a user in. The response sets the cookie `sluice_session`.',
    complexity: HASHING_COST,
  })
  signIn(
    @Arg('input', () => SignInInput, { description: 'Credentials and profile of the user.' }) input: SignInInput,
    @Ctx() context: GraphqlContext,
  ): Promise<typeof SignInResult> {
    return openSession(context, () => this.#accounts.signIn(input, context.credentials)).catch((error: unknown) =>
      asFailure(new SignInFailure(), error, signInFailures),
    );
  }

  @Mutation(() => Boolean, { description: 'Ends the session. Returns true even if there was none.' })
  async signOut(@Ctx() context: GraphqlContext): Promise<boolean> {
    const { sessionToken } = context.credentials;
    if (sessionToken !== null) await this.#accounts.signOut(sessionToken);
    context.setSession?.(null, null);
    return true;
  }
}
