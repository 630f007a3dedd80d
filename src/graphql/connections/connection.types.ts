import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { Node } from '../relay/node.types.ts';
import { DateTime } from '../scalars/date-time.ts';

@ObjectType({ description: 'A setting that a provider takes.' })
export class ProviderOption {
  @Field(() => String, { description: 'As `options` and `secretOptions` of a connection name it.' })
  name!: string;

  @Field(() => Boolean, { description: 'Whether it belongs to `secretOptions`.' })
  isSecret!: boolean;

  @Field(() => String, { description: 'What it is, for who fills it in.' })
  description!: string;
}

@ObjectType({ description: 'A provider that is known by name.' })
export class Provider {
  @Field(() => String, { description: 'The prefix of its models: `openai` in `openai/gpt-5.5`.' })
  id!: string;

  @Field(() => String, { description: 'For people.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'The page of its documentation; null where it has none.' })
  documentation!: string | null;

  @Field(() => Boolean, { description: 'Whether it wants an API key. A server of your own may want none.' })
  needsKey!: boolean;

  @Field(() => [String], { description: 'Further prefixes of its models.' })
  alsoKnownAs!: readonly string[];

  @Field(() => String, { nullable: true, description: 'Where it is; null where a connection must say so.' })
  baseUrl!: string | null;

  @Field(() => [ProviderOption], { description: 'Settings that only it has.' })
  options!: readonly ProviderOption[];
}

@ObjectType({ description: 'A setting that only this provider has.' })
export class ConnectionOption {
  @Field(() => String, { description: '`region`, `project`, `api_version` …' })
  name!: string;

  @Field(() => String, { description: 'As it was given.' })
  value!: string;
}

@ObjectType({ description: 'How the last test of a connection went.' })
export class ConnectionTest {
  @Field(() => DateTime, { description: 'When it was.' })
  at!: Date;

  @Field(() => Boolean, { description: 'Whether the provider answered as it should.' })
  succeeded!: boolean;

  @Field(() => String, { description: 'For people. Holds no credentials.' })
  message!: string;
}

@ObjectType({
  implements: Node,
  description:
    'The account’s own way to a provider. Its requests go there before the server’s own connection to the same provider.',
})
export class ProviderCredential implements Node {
  @Field(() => ID, { description: 'Global.' })
  id!: string;

  @Field(() => String, { description: 'The prefix of its models. One connection a provider.' })
  provider!: string;

  @Field(() => String, { description: 'For people.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'With its version path; null for the provider’s own.' })
  baseUrl!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The last characters of the API key, which is never shown; null where there is none.',
  })
  credentialHint!: string | null;

  @Field(() => [ConnectionOption], { description: 'The settings that are no secrets.' })
  options!: ConnectionOption[];

  @Field(() => [String], { description: 'What the secret settings are called; they are never shown.' })
  secretOptionNames!: string[];

  @Field(() => DateTime, { description: 'When it was made.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: Date;

  @Field(() => Boolean, {
    description:
      'Whether requests go by it. One that was saved though its test failed is inactive until a test succeeds.',
  })
  active!: boolean;

  @Field(() => ConnectionTest, {
    nullable: true,
    description: 'Null where it was not tested since its credentials were given.',
  })
  lastTest!: ConnectionTest | null;
}

@InputType({ description: 'A setting that only this provider has.' })
export class ConnectionOptionInput {
  @Field(() => String, { description: 'Lower-case letters, digits and underscores: `region`, `project` …' })
  name!: string;

  @Field(() => String, { description: 'Up to 1,000 characters; a secret one up to 20,000.' })
  value!: string;
}

@InputType({ description: 'A new connection.' })
export class ConnectProviderInput {
  @Field(() => String, {
    description: 'One of `providers`; or any other name, with the base URL of a server that speaks OpenAI’s API.',
  })
  provider!: string;

  @Field(() => String, { nullable: true, description: 'Up to 100 characters; the provider’s name where absent.' })
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'Kept sealed, and never shown again.' })
  apiKey?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'With its version path: `https://llm.example.com/v1`. Must be on the public internet.',
  })
  baseUrl?: string | null;

  @Field(() => [ConnectionOptionInput], { nullable: true, description: 'Settings that are no secrets.' })
  options?: ConnectionOptionInput[] | null;

  @Field(() => [ConnectionOptionInput], { nullable: true, description: 'Kept sealed, and never shown again.' })
  secretOptions?: ConnectionOptionInput[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether the provider is asked for its models first. Where that fails nothing is saved: `connection_test_failed`.',
  })
  test?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the connection is saved though its test fails, inactive.',
  })
  saveAnyway?: boolean | null;
}

@InputType({
  description:
    'An absent member stays as it is; null takes it away. A change of base URL or options wants the credentials again.',
})
export class UpdateConnectionInput {
  @Field(() => ID, { description: 'Of a `ProviderCredential`.' })
  id!: string;

  @Field(() => String, { nullable: true, description: 'Up to 100 characters.' })
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'Kept sealed, and never shown again.' })
  apiKey?: string | null;

  @Field(() => String, { nullable: true, description: 'Must be on the public internet.' })
  baseUrl?: string | null;

  @Field(() => [ConnectionOptionInput], { nullable: true, description: 'All of them: they take the place of the old.' })
  options?: ConnectionOptionInput[] | null;

  @Field(() => [ConnectionOptionInput], { nullable: true, description: 'All of them: they take the place of the old.' })
  secretOptions?: ConnectionOptionInput[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether the provider is asked first, with what would be saved. Where that fails nothing is: `connection_test_failed`.',
  })
  test?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether requests go by it.' })
  active?: boolean | null;
}
