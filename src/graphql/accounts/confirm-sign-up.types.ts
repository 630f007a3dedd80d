import { createUnionType, Field, InputType, ObjectType } from 'type-graphql';
import { Failure } from '../identity/failures.ts';
import { Session } from './sign-in.types.ts';

@InputType({ description: 'The link in the mail that finishes a sign-up.' })
export class ConfirmSignUpInput {
  @Field(() => String, { description: 'What the link carries.' })
  token!: string;

  @Field(() => String, {
    nullable: true,
    description: 'As given at sign-up: needed in another browser than the one that signed up.',
  })
  password?: string | null;
}

@ObjectType({
  description:
    'Why there is no new user: `invalid_token`, `sign_up_closed`, `sign_up_password_required`, `invalid_credentials`, `email_taken` or `too_many_attempts`.',
})
export class ConfirmSignUpFailure extends Failure {}

export const ConfirmSignUpResult = createUnionType({
  name: 'ConfirmSignUpResult',
  description: 'A session, or why there is none.',
  types: () => [Session, ConfirmSignUpFailure] as const,
});
