import { createUnionType, Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { User } from '../accounts/account.types.ts';
import { Session } from '../accounts/sign-in.types.ts';
import { Node } from '../relay/node.types.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Failure } from './failures.ts';

export enum SignUpPolicy {
  OPEN = 'open',
  INVITE = 'invite',
  OFF = 'off',
}
registerEnumType(SignUpPolicy, {
  name: 'SignUpPolicy',
  description: 'Who may sign up.',
  valuesConfig: {
    OPEN: { description: 'Everybody.' },
    INVITE: { description: 'Who was invited.' },
    OFF: { description: 'Nobody.' },
  },
});

@ObjectType({ description: 'A place beside this one where people sign in.' })
export class IdentityProvider {
  @Field(() => ID, { description: 'As the configuration names it.' })
  id!: string;

  @Field(() => String, { description: 'For a button.' })
  name!: string;

  @Field(() => String, {
    description:
      'The path that a browser goes to. It takes `?return=/path`, where it goes afterwards. A path that holds a secret behind its hash is sent by POST instead, as JSON `{"return": "/path#…"}`; the answer’s `location` is where the browser goes then. Who is signed in and links a further identity goes where `linkIdentity` says.',
  })
  startUrl!: string;
}

@ObjectType({ description: 'The ways in that there are.' })
export class SignInOptions {
  @Field(() => SignUpPolicy, { description: 'Who may sign up.' })
  signUp!: SignUpPolicy;

  @Field(() => [IdentityProvider], { description: 'The configured identity providers, in their order.' })
  providers!: IdentityProvider[];

  @Field(() => Boolean, {
    description:
      'Whether the server can send mail. Where it cannot, messages are written to the folder `mail` in its data folder.',
  })
  sendsMail!: boolean;
}

@ObjectType({ description: 'That the viewer may link an identity.' })
export class IdentityLink {
  @Field(() => String, {
    description:
      'The path that their browser goes to within a minute, once and in the same session. It takes `&return=/path`, where it goes afterwards.',
  })
  startUrl!: string;
}

@ObjectType({ implements: Node, description: 'Who a user is at an identity provider.' })
export class LinkedIdentity implements Node {
  @Field(() => ID, { description: 'For `unlinkIdentity`.' })
  id!: string;

  @Field(() => String, { description: 'The id of its provider.' })
  provider!: string;

  @Field(() => String, { description: 'What its provider is called, for people.' })
  providerName!: string;

  @Field(() => String, { nullable: true, description: 'The address that the provider told last.' })
  email!: string | null;

  @Field(() => DateTime, { description: 'When it was linked.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When it last signed in.' })
  lastUsedAt!: Date;
}

@ObjectType({ implements: Node, description: 'A browser where a user is signed in.' })
export class UserSession implements Node {
  @Field(() => ID, { description: 'For `revokeSession`.' })
  id!: string;

  @Field(() => DateTime, { description: 'When it was signed in.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last used, to within five minutes.' })
  lastSeenAt!: Date;

  @Field(() => String, { nullable: true, description: 'The IP address that it was signed in from.' })
  address!: string | null;

  @Field(() => String, { nullable: true, description: 'What the browser called itself.' })
  userAgent!: string | null;

  @Field(() => Boolean, { description: 'Whether it is the one that asks.' })
  current!: boolean;
}

@ObjectType({ description: 'An address that is verified now.' })
export class VerifiedEmail {
  @Field(() => String, { description: 'The address.' })
  email!: string;
}

@ObjectType({ description: 'The secret of an authenticator app. It counts once `confirmTotp` was given a code of it.' })
export class TotpSetup {
  @Field(() => String, { description: 'Base32, for who types it.' })
  secret!: string;

  @Field(() => String, { description: 'The same as `otpauth://`, for a QR code.' })
  uri!: string;
}

@ObjectType({ description: 'Codes that each stand in for the authenticator app once. Shown this once.' })
export class RecoveryCodes {
  @Field(() => [String], { description: 'Ten codes.' })
  codes!: string[];
}

@ObjectType({ description: 'Why no address was verified: `invalid_token`, `link_for_other` or `email_taken`.' })
export class VerifyEmailFailure extends Failure {}

@ObjectType({
  description:
    'Why the password stays as it was: `invalid_token`, `weak_password`, `totp_required`, `invalid_totp` or `too_many_attempts`.',
})
export class ResetPasswordFailure extends Failure {}

@ObjectType({
  description:
    'Why the password stays as it was: `invalid_credentials`, `weak_password`, `password_not_set` or `too_many_attempts`.',
})
export class ChangePasswordFailure extends Failure {}

@ObjectType({
  description:
    'Why the address stays as it was: `invalid_email`, `invalid_credentials`, `password_not_set` or `too_many_attempts`.',
})
export class ChangeEmailFailure extends Failure {}

@ObjectType({
  description:
    'Why no authenticator app is being set up: `invalid_credentials`, `password_not_set`, `email_not_verified`, `totp_already_enabled` or `too_many_attempts`.',
})
export class StartTotpFailure extends Failure {}

@ObjectType({
  description:
    'Why the authenticator app is not set up: `invalid_totp`, `totp_not_started`, `totp_already_enabled` or `too_many_attempts`.',
})
export class ConfirmTotpFailure extends Failure {}

@ObjectType({
  description:
    'Why the authenticator app is still asked for: `invalid_credentials`, `totp_required`, `invalid_totp`, `totp_not_enabled`, `password_not_set` or `too_many_attempts`.',
})
export class DisableTotpFailure extends Failure {}

@ObjectType({
  description:
    'Why the recovery codes stay as they were: `invalid_credentials`, `totp_required`, `invalid_totp`, `totp_not_enabled`, `password_not_set` or `too_many_attempts`.',
})
export class RenewRecoveryCodesFailure extends Failure {}

@ObjectType({
  description:
    'Why no identity can be linked: `invalid_credentials`, `totp_required`, `invalid_totp`, `recent_sign_in_required`, `email_not_verified` or `too_many_attempts`.',
})
export class LinkIdentityFailure extends Failure {}

export const VerifyEmailResult = createUnionType({
  name: 'VerifyEmailResult',
  description: 'The verified address, or why there is none.',
  types: () => [VerifiedEmail, VerifyEmailFailure] as const,
});
export const ResetPasswordResult = createUnionType({
  name: 'ResetPasswordResult',
  description: 'The new session, or why there is none.',
  types: () => [Session, ResetPasswordFailure] as const,
});
export const ChangePasswordResult = createUnionType({
  name: 'ChangePasswordResult',
  description: 'The user, or why nothing changed.',
  types: () => [User, ChangePasswordFailure] as const,
});
export const ChangeEmailResult = createUnionType({
  name: 'ChangeEmailResult',
  description: 'The user with their pending address, or why nothing changed.',
  types: () => [User, ChangeEmailFailure] as const,
});
export const LinkIdentityResult = createUnionType({
  name: 'LinkIdentityResult',
  description: 'Where to go, or why not.',
  types: () => [IdentityLink, LinkIdentityFailure] as const,
});
export const StartTotpResult = createUnionType({
  name: 'StartTotpResult',
  description: 'What the authenticator app takes, or why there is nothing.',
  types: () => [TotpSetup, StartTotpFailure] as const,
});
export const ConfirmTotpResult = createUnionType({
  name: 'ConfirmTotpResult',
  description: 'The recovery codes, or why there are none.',
  types: () => [RecoveryCodes, ConfirmTotpFailure] as const,
});
export const DisableTotpResult = createUnionType({
  name: 'DisableTotpResult',
  description: 'The user, or why nothing changed.',
  types: () => [User, DisableTotpFailure] as const,
});
export const RenewRecoveryCodesResult = createUnionType({
  name: 'RenewRecoveryCodesResult',
  description: 'New recovery codes, or why there are none.',
  types: () => [RecoveryCodes, RenewRecoveryCodesFailure] as const,
});
