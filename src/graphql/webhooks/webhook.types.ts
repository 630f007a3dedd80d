import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Node } from '../relay/node.types.ts';
import { DateTime } from '../scalars/date-time.ts';

export enum WebhookEvent {
  VIDEO_COMPLETED = 'video.completed',
  VIDEO_FAILED = 'video.failed',
  BUDGET_ALERT = 'budget.alert',
  API_KEY_EXPIRING = 'api_key.expiring',
}
registerEnumType(WebhookEvent, {
  name: 'WebhookEvent',
  description: 'What a webhook can be told of.',
  valuesConfig: {
    VIDEO_COMPLETED: { description: '`video.completed`: its content can be had.' },
    VIDEO_FAILED: { description: '`video.failed`: it was not made, or not in time. Nothing is billed.' },
    BUDGET_ALERT: { description: '`budget.alert`: a budget has passed one of its thresholds, once in each period.' },
    API_KEY_EXPIRING: {
      description: '`api_key.expiring`: a key expires within 7 days, and again within 1; once each.',
    },
  },
});

@ObjectType({
  implements: Node,
  description:
    'An address that receives events, signed by Standard Webhooks. Each is tried for three days until the answer is 2xx.',
})
export class Webhook implements Node {
  @Field(() => ID, { description: 'Global.' })
  id!: string;

  @Field(() => String, { description: 'Where it is told.' })
  url!: string;

  @Field(() => [WebhookEvent], { description: 'What it is told of.' })
  events!: WebhookEvent[];

  @Field(() => String, { description: 'The end of its signing secret.' })
  secretHint!: string;

  @Field(() => DateTime, { description: 'When it was made.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it last took an event.' })
  lastDeliveredAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was last told of one.' })
  lastAttemptAt!: Date | null;

  @Field(() => Int, { nullable: true, description: 'The HTTP status of its last answer; null where there was none.' })
  lastStatus!: number | null;

  @Field(() => String, { nullable: true, description: 'Why the last attempt failed.' })
  lastFailure!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the first of the attempts failed that have all failed since; null where the last one succeeded.',
  })
  failingSince!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'Since when it receives no events, because every attempt failed for three days; null while it is enabled. `enableWebhook` enables it.',
  })
  disabledAt!: Date | null;
}

@ObjectType({ description: 'A new webhook, with its secret.' })
export class CreatedWebhook {
  @Field(() => String, { description: 'What its events are signed with: `whsec_…`. Shown this once.' })
  secret!: string;

  @Field(() => Webhook, { description: 'As it is listed from now on.' })
  webhook!: Webhook;
}

@InputType({ description: 'A new webhook.' })
export class CreateWebhookInput {
  @Field(() => String, { description: 'On the public internet; `https:` is advised. No redirect is followed.' })
  url!: string;

  @Field(() => [WebhookEvent], { nullable: true, description: 'All where absent.' })
  events?: WebhookEvent[] | null;
}
