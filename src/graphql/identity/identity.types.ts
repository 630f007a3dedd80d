import { createUnionType, Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { User } from '../accounts/account.types.ts';
import { Session } from '../accounts/sign-in.types.ts';
import { Node } from '../relay/node.types.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Failure } from '../operation/failures.ts';

export enum SignUpPolicy {
  OPEN = 'open',
  INVITE = 'invite',
  OFF = 'off',
}
registerEnumType(SignUpPolicy, {
  name: 'SignUpPolicy',
  description: 'Who can sign up.',
  valuesConfig: {
    OPEN: { description: 'Everyone.' },
    INVITE: { description: 'Only invited users.' },
    OFF: { description: 'Nobody.' },
  },
});

@ObjectType({ description: 'An external identity provider.' })
export class IdentityProvider {
  @Field(() => ID, { description: 'The ID in the configuration.' })
  id!: string;

  @Field(() => String, { description: 'Display name, for a button.' })
  name!: string;

  @Field(() => String, {
    description:
      'The path that starts the sign-in in a browser. Add `?return=/path` to set the destination after the sign-in. If that path contains a secret in its fragment, send it by POST as JSON instead: `{"return": "/path#…"}`. The `location` of the response is then the next URL. To link another identity, use the URL that `linkIdentity` returns.',
  })
  startUrl!: string;
}

@ObjectType({ description: 'The available sign-in methods.' })
export class SignInOptions {
  @Field(() => SignUpPolicy, { description: 'Who can sign up.' })
  signUp!: SignUpPolicy;

  @Field(() => [IdentityProvider], { description: 'The configured identity providers, in configuration order.' })
  providers!: IdentityProvider[];

  @Field(() => Boolean, {
    description:
      'Whether the server can send mail. If not, messages are written to the folder `mail` in its data folder.',
  })
  sendsMail!: boolean;
}

@ObjectType({ description: 'The start of linking an identity.' })
export class IdentityLink {
  @Field(() => String, {
    description:
      'The path to open in the browser within one minute, once and in the same session. Add `&return=/path` to set the destination afterwards.',
  })
  startUrl!: string;
}

@ObjectType({ implements: Node, description: 'An identity of a user at an identity provider.' })
export class LinkedIdentity implements Node {
  @Field(() => ID, { description: 'The identity’s ID, for `unlinkIdentity`.' })
  id!: string;

  @Field(() => String, { description: 'ID of the identity provider.' })
  provider!: string;

  @Field(() => String, { description: 'Display name of the identity provider.' })
  providerName!: string;

  @Field(() => String, { nullable: true, description: 'The e-mail address that the provider last reported.' })
  email!: string | null;

  @Field(() => DateTime, { description: 'When the identity was linked.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When the identity was last used to sign in.' })
  lastUsedAt!: Date;
}

@ObjectType({ implements: Node, description: 'A signed-in browser session of a user.' })
export class UserSession implements Node {
  @Field(() => ID, { description: 'The session’s ID, for `revokeSession`.' })
  id!: string;

  @Field(() => DateTime, { description: 'When the session started.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When the session was last used, accurate to five minutes.' })
  lastSeenAt!: Date;

  @Field(() => String, { nullable: true, description: 'IP address of the sign-in.' })
  address!: string | null;

  @Field(() => String, { nullable: true, description: 'The browser’s `User-Agent`.' })
  userAgent!: string | null;

  @Field(() => Boolean, { description: 'Whether this is the session of the current request.' })
  current!: boolean;
}

@ObjectType({ description: 'A verified e-mail address.' })
export class VerifiedEmail {
  @Field(() => String, { description: 'The e-mail address.' })
  email!: string;
}

@ObjectType({
  description:
    'The secret for an authenticator app. Two-factor authentication is enabled when `confirmTotp` accepts a code.',
})
export class TotpSetup {
  @Field(() => String, { description: 'Base32 secret, for manual entry.' })
  secret!: string;

  @Field(() => String, { description: 'The secret as an `otpauth://` URI, for a QR code.' })
  uri!: string;
}

@ObjectType({
  description: 'Recovery codes. Each can be used once instead of an authenticator code. They are shown once.',
})
export class RecoveryCodes {
  @Field(() => [String], { description: 'Ten codes.' })
  codes!: string[];
}

@ObjectType({ description: 'The verification failed: `invalid_token`, `link_for_other` or `email_taken`.' })
export class VerifyEmailFailure extends Failure {}

@ObjectType({
  description:
    'The password was not changed: `invalid_token`, `weak_password`, `totp_required`, `invalid_totp` or `too_many_attempts`.',
})
export class ResetPasswordFailure extends Failure {}

@ObjectType({
  description:
    'The password was not changed: `invalid_credentials`, `weak_password`, `password_not_set` or `too_many_attempts`.',
})
export class ChangePasswordFailure extends Failure {}

@ObjectType({
  description:
    'The address was not changed: `invalid_email`, `invalid_credentials`, `password_not_set` or `too_many_attempts`.',
})
export class ChangeEmailFailure extends Failure {}

@ObjectType({
  description:
    'The setup of the authenticator app failed: `invalid_credentials`, `password_not_set`, `email_not_verified`, `totp_already_enabled` or `too_many_attempts`.',
})
export class StartTotpFailure extends Failure {}

@ObjectType({
  description:
    'The authenticator app was not set up: `invalid_totp`, `totp_not_started`, `totp_already_enabled` or `too_many_attempts`.',
})
export class ConfirmTotpFailure extends Failure {}

@ObjectType({
  description:
    'Two-factor authentication was not disabled: `invalid_credentials`, `totp_required`, `invalid_totp`, `totp_not_enabled`, `password_not_set` or `too_many_attempts`.',
})
export class DisableTotpFailure extends Failure {}

@ObjectType({
  description:
    'The recovery codes were not replaced: `invalid_credentials`, `totp_required`, `invalid_totp`, `totp_not_enabled`, `password_not_set` or `too_many_attempts`.',
})
export class RenewRecoveryCodesFailure extends Failure {}

@ObjectType({
  description:
    'The identity was not linked: `invalid_credentials`, `totp_required`, `invalid_totp`, `recent_sign_in_required`, `email_not_verified` or `too_many_attempts`.',
})
export class LinkIdentityFailure extends Failure {}

export const VerifyEmailResult = createUnionType({
  name: 'VerifyEmailResult',
  description: 'The verified address, or the reason for the failure.',
  types: () => [VerifiedEmail, VerifyEmailFailure] as const,
});
export const ResetPasswordResult = createUnionType({
  name: 'ResetPasswordResult',
  description: 'The new session, or the reason for the failure.',
  types: () => [Session, ResetPasswordFailure] as const,
});
export const ChangePasswordResult = createUnionType({
  name: 'ChangePasswordResult',
  description: 'The user, or the reason for the failure.',
  types: () => [User, ChangePasswordFailure] as const,
});
export const ChangeEmailResult = createUnionType({
  name: 'ChangeEmailResult',
  description: 'The user with the pending address, or the reason for the failure.',
  types: () => [User, ChangeEmailFailure] as const,
});
export const LinkIdentityResult = createUnionType({
  name: 'LinkIdentityResult',
  description: 'The start of the link, or the reason for the failure.',
  types: () => [IdentityLink, LinkIdentityFailure] as const,
});
export const StartTotpResult = createUnionType({
  name: 'StartTotpResult',
  description: 'The authenticator secret, or the reason for the failure.',
  types: () => [TotpSetup, StartTotpFailure] as const,
});
export const ConfirmTotpResult = createUnionType({
  name: 'ConfirmTotpResult',
  description: 'The recovery codes, or the reason for the failure.',
  types: () => [RecoveryCodes, ConfirmTotpFailure] as const,
});
export const DisableTotpResult = createUnionType({
  name: 'DisableTotpResult',
  description: 'The user, or the reason for the failure.',
  types: () => [User, DisableTotpFailure] as const,
});
export const RenewRecoveryCodesResult = createUnionType({
  name: 'RenewRecoveryCodesResult',
  description: 'New recovery codes, or the reason for the failure.',
  types: () => [RecoveryCodes, RenewRecoveryCodesFailure] as const,
});
