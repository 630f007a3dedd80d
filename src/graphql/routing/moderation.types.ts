import { Field, InputType, ObjectType, registerEnumType } from 'type-graphql';
import type { ModerationRules } from '../../gateway/keys/moderation-settings.ts';
import { enumValue } from './enum-value.ts';

export enum ModerationCheck {
  INPUT = 'input',
  OUTPUT = 'output',
}
registerEnumType(ModerationCheck, {
  name: 'ModerationCheck',
  description: 'Which part of a chat is moderated.',
  valuesConfig: {
    INPUT: { description: 'The user’s input, before it is sent to the provider.' },
    OUTPUT: { description: 'The model’s output, before it is returned.' },
  },
});

export enum ModerationAction {
  BLOCK = 'block',
  ANNOTATE = 'annotate',
}
registerEnumType(ModerationAction, {
  name: 'ModerationAction',
  description: 'What happens to flagged content.',
  valuesConfig: {
    BLOCK: {
      description: 'Flagged content is blocked. All content is blocked while the moderation model is unavailable.',
    },
    ANNOTATE: { description: 'Flagged content passes, and the response contains the moderation results.' },
  },
});

@ObjectType({ description: 'Moderation of chats by a moderation model.' })
export class Moderation {
  @Field(() => String, { description: 'The name used in requests.' })
  model!: string;

  @Field(() => [ModerationCheck], { description: 'Which parts of a chat are moderated.' })
  check!: ModerationCheck[];

  @Field(() => ModerationAction, { description: 'What happens to flagged content.' })
  action!: ModerationAction;
}

@InputType({ description: 'Moderation of chats by a moderation model.' })
export class ModerationInput {
  @Field(() => String, { description: 'The name used in requests.' })
  model!: string;

  @Field(() => [ModerationCheck], { nullable: true, description: 'Default: both.' })
  check?: ModerationCheck[] | null;

  @Field(() => ModerationAction, { description: 'What happens to flagged content.' })
  action!: ModerationAction;
}

export function toModeration(rules: ModerationRules | null | undefined): Moderation | null {
  if (!rules) return null;
  return {
    model: rules.model,
    check: (rules.check ?? (['input', 'output'] as const)).map((check) => enumValue(ModerationCheck, check)),
    action: enumValue(ModerationAction, rules.action),
  };
}
