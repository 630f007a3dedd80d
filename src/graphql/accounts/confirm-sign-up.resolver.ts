import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { SluiceError, type ErrorCode } from '../../errors/index.ts';
import type { PendingSignUps } from '../../services/identity/pending-sign-ups.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { asFailure } from '../operation/failures.ts';
import { openSession } from './open-session.ts';
import { ConfirmSignUpFailure, ConfirmSignUpInput, ConfirmSignUpResult } from './confirm-sign-up.types.ts';

const failures: readonly ErrorCode[] = [
  'invalid_token',
  'sign_up_closed',
  'sign_up_password_required',
  'invalid_credentials',
  'email_taken',
  'too_many_attempts',
];

@Resolver()
export class ConfirmSignUpResolver {
  readonly #pendingSignUps: PendingSignUps | null;

  constructor(pendingSignUps: PendingSignUps | null) {
    this.#pendingSignUps = pendingSignUps;
  }

  @Mutation(() => ConfirmSignUpResult, {
    description:
      'Completes a sign-up with the token in the verification mail: creates the user and their account, and signs the user in. Requires the password if the link is opened in another browser than the one that signed up.',
    // Points: password hashing is slow by design.
    complexity: 100,
  })
  confirmSignUp(
    @Arg('input', () => ConfirmSignUpInput, { description: 'The token in the link.' }) input: ConfirmSignUpInput,
    @Ctx() context: GraphqlContext,
  ): Promise<typeof ConfirmSignUpResult> {
    const { credentials } = context;
    return openSession(context, async () => {
      if (this.#pendingSignUps === null) throw new SluiceError('invalid_token');
      return this.#pendingSignUps.confirm(input, credentials.signUp ?? null, credentials);
    }).catch((error: unknown) => asFailure(new ConfirmSignUpFailure(), error, failures));
  }
}
