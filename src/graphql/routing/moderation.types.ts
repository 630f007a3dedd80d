import { Field, InputType, ObjectType, registerEnumType } from 'type-graphql';
import type { GuardRules } from '../../gateway/moderation-guard/guard-settings.ts';
import { enumValue } from './enum-value.ts';

export enum ModerationCheck {
  INPUT = 'input',
  OUTPUT = 'output',
}
registerEnumType(ModerationCheck, {
  name: 'ModerationCheck',
  description: 'What of a chat is moderated.',
  valuesConfig: {
    INPUT: { description: 'What its user says and shows, before it is sent.' },
    OUTPUT: { description: 'What the answer says, before it is shown.' },
  },
});

export enum ModerationAction {
  BLOCK = 'block',
  ANNOTATE = 'annotate',
}
registerEnumType(ModerationAction, {
  name: 'ModerationAction',
  description: 'What becomes of what is flagged.',
  valuesConfig: {
    BLOCK: { description: 'It does not pass. Nothing does while the model cannot be asked.' },
    ANNOTATE: { description: 'It passes, and the answer says what was found.' },
  },
});

@ObjectType({ description: 'A moderation model that chats are judged by.' })
export class Moderation {
  @Field(() => String, { description: 'As requests name it.' })
  model!: string;

  @Field(() => [ModerationCheck], { description: 'What of a chat it is asked about.' })
  check!: ModerationCheck[];

  @Field(() => ModerationAction, { description: 'What becomes of what is flagged.' })
  action!: ModerationAction;
}

@InputType({ description: 'A moderation model that chats are judged by.' })
export class ModerationInput {
  @Field(() => String, { description: 'As requests name it.' })
  model!: string;

  @Field(() => [ModerationCheck], { nullable: true, description: 'Both where absent.' })
  check?: ModerationCheck[] | null;

  @Field(() => ModerationAction, { description: 'What becomes of what is flagged.' })
  action!: ModerationAction;
}

export function toModeration(rules: GuardRules | null | undefined): Moderation | null {
  if (!rules) return null;
  return {
    model: rules.model,
    check: (rules.check ?? (['input', 'output'] as const)).map((check) => enumValue(ModerationCheck, check)),
    action: enumValue(ModerationAction, rules.action),
  };
}
