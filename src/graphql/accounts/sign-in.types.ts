import { createUnionType, Field, InputType, ObjectType } from 'type-graphql';
import { DateTime } from '../scalars/date-time.ts';

@InputType({ description: 'A new user, with an account of their own.' })
export class SignUpInput {
  @Field(() => String)
  email!: string;

  @Field(() => String, { description: '8 to 256 characters.' })
  password!: string;

  @Field(() => String)
  name!: string;
}

@InputType()
export class SignInInput {
  @Field(() => String)
  email!: string;

  @Field(() => String)
  password!: string;
}

@ObjectType({ description: 'The caller is signed in: the answer set the session’s cookie.' })
export class Session {
  @Field(() => DateTime, { description: 'When it ends at the latest.' })
  expiresAt!: Date;
}

@ObjectType({ description: 'Why there is no new user.' })
export class SignUpFailure {
  @Field(() => String, {
    description: '`sign_up_closed`, `invalid_email`, `weak_password`, `email_taken` or `too_many_attempts`.',
  })
  code!: string;

  @Field(() => String, { description: 'For people.' })
  message!: string;
}

@ObjectType({ description: 'Why the caller is not signed in.' })
export class SignInFailure {
  @Field(() => String, { description: '`invalid_credentials` or `too_many_attempts`.' })
  code!: string;

  @Field(() => String, { description: 'For people.' })
  message!: string;
}

export const SignUpResult = createUnionType({ name: 'SignUpResult', types: () => [Session, SignUpFailure] as const });
export const SignInResult = createUnionType({ name: 'SignInResult', types: () => [Session, SignInFailure] as const });
