import { createUnionType, Field, InputType, ObjectType } from 'type-graphql';
import { Failure } from '../operation/failures.ts';
import { Session } from './sign-in.types.ts';

@InputType({ description: 'The verification link of a sign-up.' })
export class ConfirmSignUpInput {
  @Field(() => String, { description: 'The token in the link.' })
  token!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The password of the sign-up. Required in another browser than the one that signed up.',
  })
  password?: string | null;
}

@ObjectType({
  description:
    'The sign-up failed: `invalid_token`, `sign_up_closed`, `sign_up_password_required`, `invalid_credentials`, `email_taken` or `too_many_attempts`.',
})
export class ConfirmSignUpFailure extends Failure {}

export const ConfirmSignUpResult = createUnionType({
  name: 'ConfirmSignUpResult',
  description: 'A session, or the reason for the failure.',
  types: () => [Session, ConfirmSignUpFailure] as const,
});
