import { Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { ContentLevel } from './content-level.type.ts';

export enum RedactionDetector {
  EMAIL = 'email',
  PHONE = 'phone',
  CARD = 'card',
  IBAN = 'iban',
  IP = 'ip',
  SECRET = 'secret',
}
registerEnumType(RedactionDetector, {
  name: 'RedactionDetector',
  description: 'A built-in detector of redaction. What it finds is replaced by its name, such as `[redacted:email]`.',
  valuesConfig: {
    EMAIL: { description: 'E-mail addresses.' },
    PHONE: { description: 'Telephone numbers in international and common national forms.' },
    CARD: { description: 'Payment card numbers with a right check digit.' },
    IBAN: { description: 'International bank account numbers with a right checksum.' },
    IP: { description: 'IPv4 and IPv6 addresses.' },
    SECRET: { description: 'API keys, tokens, private keys and passwords.' },
  },
});

@ObjectType({ description: 'An expression of the account. What it matches is replaced by its name.' })
export class RedactionPattern {
  @Field(() => String, { description: 'The name in replacements: `ticket` in `[redacted:ticket]`.' })
  name!: string;

  @Field(() => String, { description: 'Regular expression in the syntax of RE2.' })
  pattern!: string;
}

@ObjectType({ description: 'What is replaced in content before it is stored.' })
export class Redaction {
  @Field(() => [RedactionDetector], { description: 'The built-in detectors in use.' })
  detectors!: RedactionDetector[];

  @Field(() => [RedactionPattern], { description: 'The account’s own expressions.' })
  customPatterns!: RedactionPattern[];
}

@ObjectType({ description: 'Which content of the account’s requests is stored, and for how long.' })
export class ContentLogging {
  @Field(() => ContentLevel, {
    description:
      'The level of requests whose API key and header `x-sluice-log` do not lower it. Zero retention overrides it.',
  })
  level!: ContentLevel;

  @Field(() => Boolean, { description: 'Whether the level is the default of this server (`SLUICE_STORE_CONTENT`).' })
  isDefault!: boolean;

  @Field(() => Int, { description: 'Days from a request until its stored content is deleted.' })
  retentionDays!: number;

  @Field(() => Redaction, { description: 'What is replaced in content before it is stored.' })
  redaction!: Redaction;

  @Field(() => Boolean, {
    description:
      'Whether `usageLogs` can search in the content. The words of redacted prompts and answers are stored for it in the database, unencrypted: the one copy that is.',
  })
  search!: boolean;
}

@InputType({ description: 'An expression of the account.' })
export class RedactionPatternInput {
  @Field(() => String, {
    description: '1 to 40 lower-case letters, digits and hyphens, unique, and different from the names of detectors.',
  })
  name!: string;

  @Field(() => String, {
    description:
      'Regular expression in the syntax of RE2 (https://github.com/google/re2/wiki/Syntax), up to 256 characters. It must not match empty text.',
  })
  pattern!: string;
}

@InputType({ description: 'What is replaced in content before it is stored.' })
export class RedactionInput {
  @Field(() => [RedactionDetector], { description: 'The built-in detectors to use. Empty for none.' })
  detectors!: RedactionDetector[];

  @Field(() => [RedactionPatternInput], { nullable: true, description: 'Up to 20 expressions. Default: none.' })
  customPatterns?: RedactionPatternInput[] | null;
}

@InputType({ description: 'Changes to the content logging of the account. An absent field does not change.' })
export class UpdateContentLoggingInput {
  @Field(() => ContentLevel, { nullable: true, description: 'Null for the default of this server.' })
  level?: ContentLevel | null;

  @Field(() => Int, { nullable: true, description: '1 to 3,650. Applies to content that is already stored as well.' })
  retentionDays?: number | null;

  @Field(() => RedactionInput, { nullable: true, description: 'Replaces all rules of redaction.' })
  redaction?: RedactionInput | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether to store the words of redacted prompts and answers for search, unencrypted. Applies to requests that begin afterwards. False, and the level `OFF`, delete what was stored for it at once.',
  })
  search?: boolean | null;
}

@ObjectType({ description: 'How often a detector or expression found something.' })
export class RedactionCount {
  @Field(() => String, { description: 'Name of the detector, in lower case, or of the expression.' })
  name!: string;

  @Field(() => Int, { description: 'Number of replacements.' })
  count!: number;
}

@ObjectType({ description: 'A text as it would be stored.' })
export class RedactionPreview {
  @Field(() => String, { description: 'The redacted text.' })
  text!: string;

  @Field(() => [RedactionCount], { description: 'What was found.' })
  counts!: RedactionCount[];
}
