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
  description: 'The type of a webhook event.',
  valuesConfig: {
    VIDEO_COMPLETED: { description: '`video.completed`: the content of a video is available.' },
    VIDEO_FAILED: { description: '`video.failed`: the generation of a video failed or timed out. Nothing is billed.' },
    BUDGET_ALERT: {
      description: '`budget.alert`: a budget reached one of its thresholds. Sent once per threshold and period.',
    },
    API_KEY_EXPIRING: {
      description: '`api_key.expiring`: an API key expires within 7 days, or within 1 day. Each is sent once.',
    },
  },
});

@ObjectType({
  implements: Node,
  description:
    'A webhook endpoint. It receives events that are signed according to Standard Webhooks. Delivery of an event is retried for three days until the response is 2xx.',
})
export class Webhook implements Node {
  @Field(() => ID, { description: 'Global ID.' })
  id!: string;

  @Field(() => String, { description: 'URL of the endpoint.' })
  url!: string;

  @Field(() => [WebhookEvent], { description: 'Subscribed event types.' })
  events!: WebhookEvent[];

  @Field(() => String, { description: 'The last characters of the signing secret.' })
  secretHint!: string;

  @Field(() => DateTime, { description: 'Creation time.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When an event was last delivered.' })
  lastDeliveredAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When a delivery was last attempted.' })
  lastAttemptAt!: Date | null;

  @Field(() => Int, { nullable: true, description: 'HTTP status of the last response. Null if there was no response.' })
  lastStatus!: number | null;

  @Field(() => String, { nullable: true, description: 'Why the last attempt failed.' })
  lastFailure!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the current series of failed attempts started. Null if the last attempt succeeded.',
  })
  failingSince!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When the webhook was disabled, because every attempt failed for three days. Null if it is enabled. `enableWebhook` enables it again.',
  })
  disabledAt!: Date | null;
}

@ObjectType({ description: 'A new webhook with its signing secret.' })
export class CreatedWebhook {
  @Field(() => String, { description: 'The signing secret: `whsec_…`. Shown once.' })
  secret!: string;

  @Field(() => Webhook, { description: 'The webhook.' })
  webhook!: Webhook;
}

@InputType({ description: 'A new webhook.' })
export class CreateWebhookInput {
  @Field(() => String, { description: 'A public URL. `https:` is recommended. Redirects are not followed.' })
  url!: string;

  @Field(() => [WebhookEvent], { nullable: true, description: 'Filters the items. Default: all items.' })
  events?: WebhookEvent[] | null;
}
