import { Field, ID, InputType } from 'type-graphql';

@InputType({ description: 'A new password with the token in a reset link.' })
export class ResetPasswordInput {
  @Field(() => String, { description: 'The token in the link.' })
  token!: string;

  @Field(() => String, { description: 'The new password. 8 to 256 characters.' })
  password!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'A code of the authenticator app or a recovery code. Required if two-factor authentication is enabled.',
  })
  totp?: string | null;
}

@InputType({ description: 'A change of password.' })
export class ChangePasswordInput {
  @Field(() => String, { description: 'The current password.' })
  currentPassword!: string;

  @Field(() => String, { description: 'The new password. 8 to 256 characters.' })
  newPassword!: string;
}

@InputType({ description: 'A change of e-mail address.' })
export class ChangeEmailInput {
  @Field(() => String, { description: 'The new address. It takes effect when it is verified.' })
  email!: string;

  @Field(() => String, { description: 'The current password.' })
  password!: string;
}

@InputType({ description: 'Changes to the viewer’s profile.' })
export class UpdateProfileInput {
  @Field(() => String, { description: 'Display name, 1 to 100 characters.' })
  name!: string;
}

@InputType({ description: 'Credentials for a change of two-factor authentication.' })
export class TotpConfirmationInput {
  @Field(() => String, { description: 'The current password.' })
  password!: string;

  @Field(() => String, { description: 'A code of the authenticator app, or a recovery code.' })
  code!: string;
}

@InputType({ description: 'Credentials for linking another identity.' })
export class LinkIdentityInput {
  @Field(() => ID, { description: 'ID of an identity provider.' })
  provider!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The current password. A user without a password must have signed in within the last 10 minutes.',
  })
  password?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'A code of the authenticator app or a recovery code. Required if two-factor authentication is enabled.',
  })
  code?: string | null;
}

@InputType({ description: 'The two-factor code for a sign-in through an identity provider.' })
export class FinishSignInInput {
  @Field(() => String, { description: 'A code of the authenticator app, or a recovery code.' })
  totp!: string;
}
