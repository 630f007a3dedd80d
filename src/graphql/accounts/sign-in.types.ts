import { createUnionType, Field, InputType, ObjectType } from 'type-graphql';
import { DateTime } from '../scalars/date-time.ts';

@InputType({ description: 'A new user, with an account of their own, or one who was invited into another.' })
export class SignUpInput {
  @Field(() => String, { description: 'To sign in with.' })
  email!: string;

  @Field(() => String, { description: '8 to 256 characters.' })
  password!: string;

  @Field(() => String, { description: 'For people: 1 to 100 characters.' })
  name!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The token of an invitation: the user joins its account, and has none of their own.',
  })
  invitation?: string | null;
}

@InputType({ description: 'Who signs in.' })
export class SignInInput {
  @Field(() => String, { description: 'As it was given at sign-up, in upper or lower case.' })
  email!: string;

  @Field(() => String, { description: 'Theirs.' })
  password!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The code of their authenticator app or a recovery code, where they have set one up.',
  })
  totp?: string | null;
}

@ObjectType({ description: 'The caller is signed in: the answer set the session’s cookie.' })
export class Session {
  @Field(() => DateTime, { description: 'When it ends at the latest.' })
  expiresAt!: Date;
}

@ObjectType({
  description:
    'A message went to the address, whether it has a user or not. A new one gets a link that finishes the sign-up; one that has a user is told so.',
})
export class SignUpPending {
  @Field(() => String, { description: 'The address that the message went to.' })
  email!: string;
}

@ObjectType({ description: 'Why there is no new user.' })
export class SignUpFailure {
  @Field(() => String, {
    description:
      '`sign_up_closed`, `sign_up_not_local`, `invalid_email`, `weak_password`, `email_taken`, `too_many_attempts`, `invitation_invalid` or `invitation_for_other`.',
  })
  code!: string;

  @Field(() => String, { description: 'For people.' })
  message!: string;
}

@ObjectType({ description: 'Why the caller is not signed in.' })
export class SignInFailure {
  @Field(() => String, {
    description:
      '`invalid_credentials`, `totp_required`, `invalid_totp` or `too_many_attempts`; of `finishSignIn` also `sign_in_expired` and `identity_taken`.',
  })
  code!: string;

  @Field(() => String, { description: 'For people.' })
  message!: string;
}

export const SignUpResult = createUnionType({
  name: 'SignUpResult',
  description: 'A session, a message that leads to one, or why there is neither.',
  types: () => [Session, SignUpPending, SignUpFailure] as const,
});
export const SignInResult = createUnionType({
  name: 'SignInResult',
  description: 'A session, or why there is none.',
  types: () => [Session, SignInFailure] as const,
});
