import { createUnionType, Field, InputType, ObjectType } from 'type-graphql';
import { DateTime } from '../scalars/date-time.ts';

@InputType({ description: 'A new user. Without an invitation, an account is created for them.' })
export class SignUpInput {
  @Field(() => String, { description: 'The e-mail address to sign in with.' })
  email!: string;

  @Field(() => String, { description: '8 to 256 characters.' })
  password!: string;

  @Field(() => String, { description: 'Display name, 1 to 100 characters.' })
  name!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The token of an invitation. The user joins its account instead of getting a new one.',
  })
  invitation?: string | null;
}

@InputType({ description: 'Credentials.' })
export class SignInInput {
  @Field(() => String, { description: 'The e-mail address, case-insensitive.' })
  email!: string;

  @Field(() => String, { description: 'The password.' })
  password!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'A code of the authenticator app or a recovery code. Required if two-factor authentication is enabled.',
  })
  totp?: string | null;
}

@ObjectType({ description: 'A session. The response set the session cookie.' })
export class Session {
  @Field(() => DateTime, { description: 'When the session expires at the latest.' })
  expiresAt!: Date;
}

@ObjectType({
  description:
    'A message was sent to the address, whether or not it belongs to a user. A new user receives a link that completes the sign-up; an existing user is informed that they already have an account.',
})
export class SignUpPending {
  @Field(() => String, { description: 'The address that the message was sent to.' })
  email!: string;
}

@ObjectType({ description: 'The sign-up failed.' })
export class SignUpFailure {
  @Field(() => String, {
    description:
      '`sign_up_closed`, `sign_up_not_local`, `invalid_email`, `weak_password`, `email_taken`, `too_many_attempts`, `invitation_invalid` or `invitation_for_other`.',
  })
  code!: string;

  @Field(() => String, { description: 'Human-readable message.' })
  message!: string;
}

@ObjectType({ description: 'The sign-in failed.' })
export class SignInFailure {
  @Field(() => String, {
    description:
      '`invalid_credentials`, `totp_required`, `invalid_totp` or `too_many_attempts`. For `finishSignIn` also `sign_in_expired` and `identity_taken`.',
  })
  code!: string;

  @Field(() => String, { description: 'Human-readable message.' })
  message!: string;
}

export const SignUpResult = createUnionType({
  name: 'SignUpResult',
  description: 'A session, a pending verification, or the reason for the failure.',
  types: () => [Session, SignUpPending, SignUpFailure] as const,
});
export const SignInResult = createUnionType({
  name: 'SignInResult',
  description: 'A session, or the reason for the failure.',
  types: () => [Session, SignInFailure] as const,
});
