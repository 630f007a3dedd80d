import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { DateTime } from '../scalars/date-time.ts';

export enum WebhookEvent {
  VIDEO_COMPLETED = 'video.completed',
  VIDEO_FAILED = 'video.failed',
}
registerEnumType(WebhookEvent, {
  name: 'WebhookEvent',
  description: 'What a webhook can be told of.',
  valuesConfig: {
    VIDEO_COMPLETED: { description: '`video.completed`: its content can be had.' },
    VIDEO_FAILED: { description: '`video.failed`: it was not made, or not in time. Nothing is billed.' },
  },
});

@ObjectType({
  description:
    'An address that is told of events, signed by Standard Webhooks, again and again for a day until it answers with 2xx.',
})
export class Webhook {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  url!: string;

  @Field(() => [WebhookEvent])
  events!: WebhookEvent[];

  @Field(() => String, { description: 'The end of its signing secret.' })
  secretHint!: string;

  @Field(() => DateTime)
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it last took an event.' })
  lastDeliveredAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was last told of one.' })
  lastAttemptAt!: Date | null;

  @Field(() => Int, { nullable: true, description: 'The HTTP status of its last answer; null where there was none.' })
  lastStatus!: number | null;

  @Field(() => String, { nullable: true, description: 'Why the last attempt failed.' })
  lastFailure!: string | null;
}

@ObjectType({ description: 'A new webhook, with its secret.' })
export class CreatedWebhook {
  @Field(() => String, { description: 'What its events are signed with: `whsec_…`. Shown this once.' })
  secret!: string;

  @Field(() => Webhook)
  webhook!: Webhook;
}

@InputType()
export class CreateWebhookInput {
  @Field(() => String, { description: 'On the public internet; `https:` is advised. No redirect is followed.' })
  url!: string;

  @Field(() => [WebhookEvent], { nullable: true, description: 'All where absent.' })
  events?: WebhookEvent[] | null;
}
