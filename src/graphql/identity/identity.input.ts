import { Field, ID, InputType } from 'type-graphql';

@InputType({ description: 'A new password, by the link in a message.' })
export class ResetPasswordInput {
  @Field(() => String, { description: 'What the link carries.' })
  token!: string;

  @Field(() => String, { description: 'The new password, of 8 to 256 characters.' })
  password!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The code of the authenticator app or a recovery code, for who has set one up.',
  })
  totp?: string | null;
}

@InputType({ description: 'A new password, by who knows the one of now.' })
export class ChangePasswordInput {
  @Field(() => String, { description: 'The password of now.' })
  currentPassword!: string;

  @Field(() => String, { description: 'The new one, of 8 to 256 characters.' })
  newPassword!: string;
}

@InputType({ description: 'Another address to sign in with.' })
export class ChangeEmailInput {
  @Field(() => String, { description: 'The new address. It counts once it is verified.' })
  email!: string;

  @Field(() => String, { description: 'The password of now.' })
  password!: string;
}

@InputType({ description: 'What a user says of themselves.' })
export class UpdateProfileInput {
  @Field(() => String, { description: 'What they are called: 1 to 100 characters.' })
  name!: string;
}

@InputType({ description: 'What a user shows before their second factor changes.' })
export class TotpConfirmationInput {
  @Field(() => String, { description: 'The password of now.' })
  password!: string;

  @Field(() => String, { description: 'A code of the authenticator app, or a recovery code.' })
  code!: string;
}

@InputType({ description: 'What a user shows before a further identity is linked.' })
export class LinkIdentityInput {
  @Field(() => ID, { description: 'The id of an identity provider.' })
  provider!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The password of now. Who has none must have signed in within the last 10 minutes.',
  })
  password?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'A code of the authenticator app or a recovery code, for who has set one up.',
  })
  code?: string | null;
}

@InputType({ description: 'What an identity provider does not know.' })
export class FinishSignInInput {
  @Field(() => String, { description: 'A code of the authenticator app, or a recovery code.' })
  totp!: string;
}
