import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';
import type { AccountsService } from '../../services/identity/accounts.service.ts';
import type { SessionsService } from '../../services/sessions/sessions.service.ts';
import type { ExternalSignIn } from '../../services/identity/external/external-sign-in.ts';
import type { PendingSignUps } from '../../services/identity/pending-sign-ups.ts';
import type { ProfileService } from '../../services/identity/profile.service.ts';
import { User } from '../accounts/account.types.ts';
import { openSession } from '../accounts/open-session.ts';
import { SignInFailure, SignInResult } from '../accounts/sign-in.types.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { asFailure } from '../operation/failures.ts';
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

/** Operations of users on themselves. They require no role. */
@Resolver()
export class ProfileResolver {
  readonly #accounts: AccountsService;
  readonly #pendingSignUps: PendingSignUps | null;
  readonly #external: ExternalSignIn;
  readonly #profiles: ProfileService;
  readonly #sessions: SessionsService;

  constructor(services: {
    readonly accounts: AccountsService;
    readonly pendingSignUps: PendingSignUps | null;
    readonly external: ExternalSignIn;
    readonly profiles: ProfileService;
    readonly sessions: SessionsService;
  }) {
    this.#accounts = services.accounts;
    this.#pendingSignUps = services.pendingSignUps;
    this.#external = services.external;
    this.#profiles = services.profiles;
    this.#sessions = services.sessions;
  }

  @Query(() => SignInOptions, { description: 'The available sign-in methods. Requires no authentication.' })
  signInOptions(): SignInOptions {
    return {
      signUp: policies[this.#accounts.signUpPolicy],
      sendsMail: this.#pendingSignUps !== null,
      providers: this.#external.providers.map(({ id, name }) => ({ id, name, startUrl: `/auth/${id}/start` })),
    };
  }

  @Mutation(() => SignInResult, {
    description:
      'Completes a sign-in through an identity provider that was redirected to `/sign-in?totp=1` because two-factor authentication is enabled.',
  })
  finishSignIn(
    @Arg('input', () => FinishSignInInput, { description: 'The two-factor code.' }) { totp }: FinishSignInInput,
    @Ctx() context: GraphqlContext,
  ): Promise<typeof SignInResult> {
    const { credentials } = context;
    return openSession(context, () => this.#external.complete(credentials.pendingSignIn, totp, credentials)).catch(
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
      'Verifies an e-mail address with the token in a message. Requires a session of the user that the message was sent to; without a session it fails with `unauthenticated`, and the link stays valid.',
  })
  async verifyEmail(
    @Arg('token', () => String, { description: 'The token in the link.' }) token: string,
    @Ctx() context: GraphqlContext,
  ): Promise<typeof VerifyEmailResult> {
    const { userId } = await context.requireSession();
    return this.#profiles
      .verifyEmail(userId, token)
      .then((email): typeof VerifyEmailResult => Object.assign(new VerifiedEmail(), { email }))
      .catch((error: unknown) =>
        asFailure(new VerifyEmailFailure(), error, ['invalid_token', 'link_for_other', 'email_taken']),
      );
  }

  @Mutation(() => Boolean, { description: 'Sends the verification message for the viewer’s address again.' })
  async requestEmailVerification(@Ctx() context: GraphqlContext): Promise<boolean> {
    const { userId } = await context.requireSession();
    await this.#profiles.requestVerification(userId);
    return true;
  }

  @Mutation(() => Boolean, {
    description:
      'Sends a password reset link if a user with this address exists. Always returns true. Requires no authentication.',
  })
  async requestPasswordReset(
    @Arg('email', () => String, { description: 'The e-mail address.' }) email: string,
    @Ctx() { credentials }: GraphqlContext,
  ): Promise<boolean> {
    await this.#profiles.requestPasswordReset(email, credentials);
    return true;
  }

  @Mutation(() => ResetPasswordResult, {
    description:
      'Sets a new password with the token in a message, ends all sessions and signs the user in. If the address was not verified, it becomes verified, and what was added before is removed: linked identities, and in the user’s own accounts API keys, open invitations, other members, provider connections, routes and webhooks.',
  })
  resetPassword(
    @Arg('input', () => ResetPasswordInput, { description: 'The token and the new password.' })
    input: ResetPasswordInput,
    @Ctx() context: GraphqlContext,
  ): Promise<typeof ResetPasswordResult> {
    const { credentials } = context;
    return openSession(context, () => this.#profiles.resetPassword(input, credentials)).catch((error: unknown) =>
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
    @Arg('input', () => ChangePasswordInput, { description: 'The current and the new password.' })
    input: ChangePasswordInput,
    @Ctx() context: GraphqlContext,
  ): Promise<typeof ChangePasswordResult> {
    const identity = await context.requireSession();
    return this.#profiles
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
    description:
      'Requests a change of the e-mail address. It takes effect when the new address is verified. The current address receives a notification.',
  })
  async changeEmail(
    @Arg('input', () => ChangeEmailInput, { description: 'The new address and the password.' }) input: ChangeEmailInput,
    @Ctx() context: GraphqlContext,
  ): Promise<typeof ChangeEmailResult> {
    const { userId } = await context.requireSession();
    return this.#profiles
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

  @Mutation(() => User, { description: 'Updates the viewer’s profile.' })
  async updateProfile(
    @Arg('input', () => UpdateProfileInput, { description: 'The changes.' }) input: UpdateProfileInput,
    @Ctx() context: GraphqlContext,
  ): Promise<User> {
    const { userId } = await context.requireSession();
    return toUser(await this.#profiles.updateProfile(userId, input));
  }

  @Mutation(() => LinkIdentityResult, {
    description:
      'Starts linking another identity to the viewer. The browser then continues at the identity provider. Requires the password and, with two-factor authentication, a code.',
  })
  async linkIdentity(
    @Arg('input', () => LinkIdentityInput, { description: 'The identity provider and the viewer’s credentials.' })
    { provider, ...proof }: LinkIdentityInput,
    @Ctx() context: GraphqlContext,
  ): Promise<typeof LinkIdentityResult> {
    const identity = await context.requireSession();
    return this.#external
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
    description: 'Unlinks an identity. Fails with `last_way_in` if it is the viewer’s only way to sign in.',
  })
  async unlinkIdentity(
    @Arg('id', () => ID, { description: 'ID of a linked identity.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<User> {
    const { userId } = await context.requireSession();
    return toUser(await this.#profiles.unlinkIdentity(userId, fromGlobalId('LinkedIdentity', id)));
  }

  @Mutation(() => Boolean, { description: 'Ends one of the viewer’s sessions and closes its WebSocket connections.' })
  async revokeSession(
    @Arg('id', () => ID, { description: 'ID of a session.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const { userId } = await context.requireSession();
    await this.#sessions.revoke(userId, fromGlobalId('UserSession', id));
    return true;
  }

  @Mutation(() => Int, {
    description: 'Ends all other sessions of the viewer and returns their number.',
  })
  async revokeOtherSessions(@Ctx() context: GraphqlContext): Promise<number> {
    const { userId, sessionId } = await context.requireSession();
    return this.#sessions.revokeAll(userId, sessionId);
  }
}
