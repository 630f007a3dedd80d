import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { SluiceError, type ErrorCode } from '../../errors/index.ts';
import type { SignedIn } from '../../services/accounts/accounts.service.ts';
import type { GraphqlContext } from '../context.ts';
import {
  Session,
  SignInFailure,
  SignInInput,
  SignInResult,
  SignUpFailure,
  SignUpInput,
  SignUpResult,
} from './sign-in.types.ts';

const signUpFailures: readonly ErrorCode[] = [
  'sign_up_closed',
  'invalid_email',
  'weak_password',
  'email_taken',
  'too_many_attempts',
];
const signInFailures: readonly ErrorCode[] = ['invalid_credentials', 'too_many_attempts'];

@Resolver()
export class SignInResolver {
  @Mutation(() => SignUpResult, { description: 'Makes a user and signs them in.' })
  signUp(
    @Arg('input', () => SignUpInput) input: SignUpInput,
    @Ctx() context: GraphqlContext,
  ): Promise<typeof SignUpResult> {
    return openSession(context, () => context.services.accounts.signUp(input, context.credentials)).catch(
      (error: unknown) => Object.assign(new SignUpFailure(), expected(error, signUpFailures)),
    );
  }

  @Mutation(() => SignInResult, { description: 'Signs a user in: the answer sets the cookie `sluice_session`.' })
  signIn(
    @Arg('input', () => SignInInput) input: SignInInput,
    @Ctx() context: GraphqlContext,
  ): Promise<typeof SignInResult> {
    return openSession(context, () => context.services.accounts.signIn(input, context.credentials)).catch(
      (error: unknown) => Object.assign(new SignInFailure(), expected(error, signInFailures)),
    );
  }

  @Mutation(() => Boolean, { description: 'Ends the session; true also where there was none.' })
  async signOut(@Ctx() context: GraphqlContext): Promise<boolean> {
    const { sessionToken } = context.credentials;
    if (sessionToken !== null) await context.services.accounts.signOut(sessionToken);
    context.setSession?.(null, null);
    return true;
  }
}

async function openSession(context: GraphqlContext, signIn: () => Promise<SignedIn>): Promise<Session> {
  if (context.setSession === null)
    throw new SluiceError('bad_user_input', {
      values: { reason: 'Sign in over HTTP: a WebSocket cannot set the cookie.' },
    });
  const { token, expiresAt } = await signIn();
  context.setSession(token, expiresAt);
  return Object.assign(new Session(), { expiresAt });
}

/** The failure as data, where it is one that a form shows; any other goes its usual way. */
function expected(error: unknown, codes: readonly ErrorCode[]): { code: string; message: string } {
  if (error instanceof SluiceError && codes.includes(error.code)) return { code: error.code, message: error.message };
  throw error;
}
