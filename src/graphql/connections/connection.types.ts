import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { DataPolicy } from '../models/model.types.ts';
import { Node } from '../relay/node.types.ts';
import { DateTime } from '../scalars/date-time.ts';

@ObjectType({ description: 'A provider-specific setting.' })
export class ProviderOption {
  @Field(() => String, { description: 'The name in `options` or `secretOptions` of a connection.' })
  name!: string;

  @Field(() => Boolean, { description: 'Whether the setting belongs in `secretOptions`.' })
  isSecret!: boolean;

  @Field(() => String, { description: 'Human-readable description.' })
  description!: string;
}

@ObjectType({ description: 'A supported provider.' })
export class Provider {
  @Field(() => String, { description: 'Provider ID, which is the prefix of its models: `openai` in `openai/gpt-5.5`.' })
  id!: string;

  @Field(() => String, { description: 'Display name.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'URL of the provider’s documentation. Null if there is none.' })
  documentation!: string | null;

  @Field(() => Boolean, { description: 'Whether an API key is required. A self-hosted server may not require one.' })
  needsKey!: boolean;

  @Field(() => [String], { description: 'Other prefixes of its models.' })
  alsoKnownAs!: readonly string[];

  @Field(() => String, { nullable: true, description: 'Default base URL. Null if a connection must specify one.' })
  baseUrl!: string | null;

  @Field(() => [ProviderOption], { description: 'Provider-specific settings.' })
  options!: readonly ProviderOption[];

  @Field(() => DataPolicy, {
    description: 'What the provider does with the data of requests to its own servers, as its documentation says.',
  })
  dataPolicy!: DataPolicy;
}

@ObjectType({ description: 'A provider-specific setting.' })
export class ConnectionOption {
  @Field(() => String, { description: '`region`, `project`, `api_version` …' })
  name!: string;

  @Field(() => String, { description: 'The value.' })
  value!: string;
}

@ObjectType({ description: 'The result of a connection test.' })
export class ConnectionTest {
  @Field(() => DateTime, { description: 'When the test ran.' })
  at!: Date;

  @Field(() => Boolean, { description: 'Whether the test succeeded.' })
  succeeded!: boolean;

  @Field(() => String, { description: 'Human-readable message. Contains no credentials.' })
  message!: string;
}

@ObjectType({
  implements: Node,
  description:
    'The account’s own provider connection. Its requests use it before the server’s connection to the same provider.',
})
export class ProviderCredential implements Node {
  @Field(() => ID, { description: 'Global ID.' })
  id!: string;

  @Field(() => String, {
    description: 'The provider, which is the prefix of its models. An account can have one connection per provider.',
  })
  provider!: string;

  @Field(() => String, { description: 'Display name.' })
  name!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Base URL with its version path. Null for the provider’s default.',
  })
  baseUrl!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The last characters of the API key, which is never shown in full. Null if there is no key.',
  })
  credentialHint!: string | null;

  @Field(() => [ConnectionOption], { description: 'Settings that are not secret.' })
  options!: ConnectionOption[];

  @Field(() => [String], { description: 'Names of the secret settings. Their values are never shown.' })
  secretOptionNames!: string[];

  @Field(() => DateTime, { description: 'Creation time.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When the connection was last changed.' })
  updatedAt!: Date;

  @Field(() => Boolean, {
    description:
      'Whether requests use the connection. A connection that was saved with a failed test is inactive until a test succeeds.',
  })
  active!: boolean;

  @Field(() => ConnectionTest, {
    nullable: true,
    description: 'Result of the last test. Null if the current credentials were never tested.',
  })
  lastTest!: ConnectionTest | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Region in which the provider processes the requests, as the account states it. Null for what the address says.',
  })
  region!: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the provider trains models with the data of requests, as the account states it.',
  })
  trainsOnData!: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Days for which the provider retains requests and responses, as the account states it. 0 for zero retention.',
  })
  retentionDays!: number | null;
}

@InputType({ description: 'A provider-specific setting.' })
export class ConnectionOptionInput {
  @Field(() => String, {
    description: 'Setting name in lower-case letters, digits and underscores: `region`, `project` …',
  })
  name!: string;

  @Field(() => String, { description: 'Maximum 1,000 characters, or 20,000 for a secret.' })
  value!: string;
}

@InputType({ description: 'A new provider connection.' })
export class ConnectProviderInput {
  @Field(() => String, {
    description:
      'The ID of one of `providers`, or any other name together with the base URL of an OpenAI-compatible server.',
  })
  provider!: string;

  @Field(() => String, { nullable: true, description: 'Maximum 100 characters. Default: the provider’s name.' })
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'Stored encrypted and never shown again.' })
  apiKey?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Base URL with its version path: `https://llm.example.com/v1`. Must be a public internet address.',
  })
  baseUrl?: string | null;

  @Field(() => [ConnectionOptionInput], { nullable: true, description: 'Settings that are not secret.' })
  options?: ConnectionOptionInput[] | null;

  @Field(() => [ConnectionOptionInput], { nullable: true, description: 'Stored encrypted and never shown again.' })
  secretOptions?: ConnectionOptionInput[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether to test the connection first by listing the provider’s models. If the test fails, nothing is saved: `connection_test_failed`.',
  })
  test?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether to save the connection as inactive if the test fails.',
  })
  saveAnyway?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Region in which the provider processes the requests, in lower-case letters, digits and dashes: `eu`. Null for what the address says.',
  })
  region?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether the provider trains models with the data of requests, for example by your contract. Null for what its documentation says.',
  })
  trainsOnData?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Days for which the provider retains requests and responses, for example by your contract. 0 for zero retention, null for what its documentation says.',
  })
  retentionDays?: number | null;
}

@InputType({
  description:
    'Changes to a connection. An absent field does not change; null clears it. A change of the base URL or the options requires the credentials again, and removes the stated region and data policy unless they are in the same change.',
})
export class UpdateConnectionInput {
  @Field(() => ID, { description: 'ID of a `ProviderCredential`.' })
  id!: string;

  @Field(() => String, { nullable: true, description: 'Maximum 100 characters.' })
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'Stored encrypted and never shown again.' })
  apiKey?: string | null;

  @Field(() => String, { nullable: true, description: 'Must be a public internet address.' })
  baseUrl?: string | null;

  @Field(() => [ConnectionOptionInput], { nullable: true, description: 'Replaces all existing values.' })
  options?: ConnectionOptionInput[] | null;

  @Field(() => [ConnectionOptionInput], { nullable: true, description: 'Replaces all existing values.' })
  secretOptions?: ConnectionOptionInput[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether to test the changed connection first. If the test fails, nothing is saved: `connection_test_failed`.',
  })
  test?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether requests use the connection.' })
  active?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Region in which the provider processes the requests, in lower-case letters, digits and dashes: `eu`. Null for what the address says.',
  })
  region?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether the provider trains models with the data of requests, for example by your contract. Null for what its documentation says.',
  })
  trainsOnData?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Days for which the provider retains requests and responses, for example by your contract. 0 for zero retention, null for what its documentation says.',
  })
  retentionDays?: number | null;
}
