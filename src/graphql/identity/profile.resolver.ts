import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';
import { User } from '../accounts/account.types.ts';
import { openSession } from '../accounts/open-session.ts';
import { SignInFailure, SignInResult } from '../accounts/sign-in.types.ts';
import type { GraphqlContext } from '../context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { asFailure } from './failures.ts';
import {
  ChangeEmailInput,
  ChangePasswordInput,
  FinishSignInInput,
  LinkIdentityInput,
  ResetPasswordInput,
  UpdateProfileInput,
} from './identity.input.ts';
import { toUser } from './identity.mapping.ts';
import {
  ChangeEmailFailure,
  ChangeEmailResult,
  ChangePasswordFailure,
  ChangePasswordResult,
  IdentityLink,
  LinkIdentityFailure,
  LinkIdentityResult,
  ResetPasswordFailure,
  ResetPasswordResult,
  SignInOptions,
  SignUpPolicy,
  VerifiedEmail,
  VerifyEmailFailure,
  VerifyEmailResult,
} from './identity.types.ts';

const policies = { open: SignUpPolicy.OPEN, invite: SignUpPolicy.INVITE, off: SignUpPolicy.OFF } as const;

/** What people do about themselves: each names nobody else, and so needs no role. */
@Resolver()
export class ProfileResolver {
  @Query(() => SignInOptions, { description: 'The ways in that there are. Needs no sign-in.' })
  signInOptions(@Ctx() { services }: GraphqlContext): SignInOptions {
    return {
      signUp: policies[services.accounts.signUpPolicy],
      sendsMail: services.pendingSignUps !== null,
      providers: services.external.providers.map(({ id, name }) => ({ id, name, startUrl: `/auth/${id}/start` })),
    };
  }

  @Mutation(() => SignInResult, {
    description:
      'Finishes a sign-in at an identity provider that led to `/sign-in?totp=1`: this user has an authenticator app.',
  })
  finishSignIn(
    @Arg('input', () => FinishSignInInput, { description: 'The code.' }) { totp }: FinishSignInInput,
    @Ctx() context: GraphqlContext,
  ): Promise<typeof SignInResult> {
    const { services, credentials } = context;
    return openSession(context, () => services.external.complete(credentials.pendingSignIn, totp, credentials)).catch(
      (error: unknown) =>
        asFailure(new SignInFailure(), error, [
          'sign_in_expired',
          'totp_required',
          'invalid_totp',
          'identity_taken',
          'too_many_attempts',
        ]),
    );
  }

  @Mutation(() => VerifyEmailResult, {
    description:
      'Verifies an address by the link in a message, for the user whom it went to: `unauthenticated` for who is not signed in. The link can be used afterwards.',
  })
  async verifyEmail(
    @Arg('token', () => String, { description: 'What the link carries.' }) token: string,
    @Ctx() context: GraphqlContext,
  ): Promise<typeof VerifyEmailResult> {
    const { userId } = await context.signedIn();
    return context.services.profiles
      .verifyEmail(userId, token)
      .then((email): typeof VerifyEmailResult => Object.assign(new VerifiedEmail(), { email }))
      .catch((error: unknown) =>
        asFailure(new VerifyEmailFailure(), error, ['invalid_token', 'link_for_other', 'email_taken']),
      );
  }

  @Mutation(() => Boolean, { description: 'Sends the message with the link for the viewer’s address again.' })
  async requestEmailVerification(@Ctx() context: GraphqlContext): Promise<boolean> {
    const { userId } = await context.signedIn();
    await context.services.profiles.requestVerification(userId);
    return true;
  }

  @Mutation(() => Boolean, {
    description:
      'Sends a link to set a new password, where there is a user with this address. The answer is true either way. Needs no sign-in.',
  })
  async requestPasswordReset(
    @Arg('email', () => String, { description: 'The address.' }) email: string,
    @Ctx() { services, credentials }: GraphqlContext,
  ): Promise<boolean> {
    await services.profiles.requestPasswordReset(email, credentials);
    return true;
  }

  @Mutation(() => ResetPasswordResult, {
    description:
      'Sets a new password by the link in a message, ends all sessions, and signs in anew. Where the address was not verified yet, it is now, and what was added before ends: linked identities, and in the viewer’s accounts API keys, open invitations, other members, provider connections, routes and webhooks.',
  })
  resetPassword(
    @Arg('input', () => ResetPasswordInput, { description: 'The link and the password.' }) input: ResetPasswordInput,
    @Ctx() context: GraphqlContext,
  ): Promise<typeof ResetPasswordResult> {
    const { services, credentials } = context;
    return openSession(context, () => services.profiles.resetPassword(input, credentials)).catch((error: unknown) =>
      asFailure(new ResetPasswordFailure(), error, [
        'invalid_token',
        'weak_password',
        'totp_required',
        'invalid_totp',
        'too_many_attempts',
      ]),
    );
  }

  @Mutation(() => ChangePasswordResult, { description: 'Changes the viewer’s password and ends their other sessions.' })
  async changePassword(
    @Arg('input', () => ChangePasswordInput, { description: 'Both passwords.' }) input: ChangePasswordInput,
    @Ctx() context: GraphqlContext,
  ): Promise<typeof ChangePasswordResult> {
    const identity = await context.signedIn();
    return context.services.profiles
      .changePassword(identity, input)
      .then((profile): typeof ChangePasswordResult => toUser(profile))
      .catch((error: unknown) =>
        asFailure(new ChangePasswordFailure(), error, [
          'invalid_credentials',
          'weak_password',
          'password_not_set',
          'too_many_attempts',
        ]),
      );
  }

  @Mutation(() => ChangeEmailResult, {
    description: 'Asks for another address. It counts once it is verified; the one of now is told.',
  })
  async changeEmail(
    @Arg('input', () => ChangeEmailInput, { description: 'The address and the password.' }) input: ChangeEmailInput,
    @Ctx() context: GraphqlContext,
  ): Promise<typeof ChangeEmailResult> {
    const { userId } = await context.signedIn();
    return context.services.profiles
      .changeEmail(userId, input)
      .then((profile): typeof ChangeEmailResult => toUser(profile))
      .catch((error: unknown) =>
        asFailure(new ChangeEmailFailure(), error, [
          'invalid_email',
          'invalid_credentials',
          'password_not_set',
          'too_many_attempts',
        ]),
      );
  }

  @Mutation(() => User, { description: 'Changes what the viewer says of themselves.' })
  async updateProfile(
    @Arg('input', () => UpdateProfileInput, { description: 'What changes.' }) input: UpdateProfileInput,
    @Ctx() context: GraphqlContext,
  ): Promise<User> {
    const { userId } = await context.signedIn();
    return toUser(await context.services.profiles.updateProfile(userId, input));
  }

  @Mutation(() => LinkIdentityResult, {
    description:
      'Begins to link a further identity to the viewer: their browser goes on to its provider. Asks for the password again, and for a code of who has an authenticator app.',
  })
  async linkIdentity(
    @Arg('input', () => LinkIdentityInput, { description: 'Where, and the proof.' })
    { provider, ...proof }: LinkIdentityInput,
    @Ctx() context: GraphqlContext,
  ): Promise<typeof LinkIdentityResult> {
    const identity = await context.signedIn();
    return context.services.external
      .allowLinking(identity, provider, proof)
      .then((ticket): typeof LinkIdentityResult =>
        Object.assign(new IdentityLink(), { startUrl: `/auth/${provider}/start?link=${ticket}` }),
      )
      .catch((error: unknown) =>
        asFailure(new LinkIdentityFailure(), error, [
          'invalid_credentials',
          'totp_required',
          'invalid_totp',
          'recent_sign_in_required',
          'email_not_verified',
          'too_many_attempts',
        ]),
      );
  }

  @Mutation(() => User, {
    description: 'Takes a linked identity away. `last_way_in` where nothing else would let the viewer in.',
  })
  async unlinkIdentity(
    @Arg('id', () => ID, { description: 'Of a linked identity.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<User> {
    const { userId } = await context.signedIn();
    return toUser(await context.services.profiles.unlinkIdentity(userId, fromGlobalId('LinkedIdentity', id)));
  }

  @Mutation(() => Boolean, { description: 'Ends one of the viewer’s sessions, with its sockets.' })
  async revokeSession(
    @Arg('id', () => ID, { description: 'Of a session.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const { userId } = await context.signedIn();
    await context.services.sessions.revoke(userId, fromGlobalId('UserSession', id));
    return true;
  }

  @Mutation(() => Int, {
    description: 'Ends all of the viewer’s sessions but this one, and tells how many there were.',
  })
  async revokeOtherSessions(@Ctx() context: GraphqlContext): Promise<number> {
    const { userId, sessionId } = await context.signedIn();
    return context.services.sessions.revokeAll(userId, sessionId);
  }
}
