import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { Node } from '../relay/node.types.ts';
import { DateTime } from '../scalars/date-time.ts';
import { AlertChannelKind, PagerDutyRegion } from './alert-enums.ts';

@ObjectType({ implements: Node, description: 'A destination of alerts. Its URL and key are secret.' })
export class AlertChannel implements Node {
  @Field(() => ID, { description: 'Global ID.' })
  id!: string;

  @Field(() => String, { description: 'Name of the channel.' })
  name!: string;

  @Field(() => AlertChannelKind, { description: 'Type of the channel.' })
  kind!: AlertChannelKind;

  @Field(() => String, {
    description: 'The host and the last characters of the URL or key. For e-mail, the number of addresses.',
  })
  hint!: string;

  @Field(() => [String], { description: 'E-mail addresses of members. Empty for other types.' })
  emails!: string[];

  @Field(() => DateTime, { description: 'Creation time.' })
  createdAt!: Date;
}

@ObjectType({ description: 'A new alert channel.' })
export class CreatedAlertChannel {
  @Field(() => AlertChannel, { description: 'The channel.' })
  channel!: AlertChannel;

  @Field(() => String, {
    nullable: true,
    description: 'The signing secret of a webhook: `whsec_…`. Shown once. Null for other types.',
  })
  secret!: string | null;
}

@ObjectType({ description: 'An alert channel after a change.' })
export class UpdatedAlertChannel {
  @Field(() => AlertChannel, { description: 'The channel.' })
  channel!: AlertChannel;

  @Field(() => String, {
    nullable: true,
    description: 'The new signing secret, if it was rotated: `whsec_…`. Shown once.',
  })
  secret!: string | null;
}

@InputType({
  description: 'Changes of an alert channel. Absent and null fields are unchanged. Its type cannot change.',
})
export class UpdateAlertChannelInput {
  @Field(() => String, { nullable: true, description: 'Name of the channel.' })
  name?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The URL for `WEBHOOK`, `SLACK` and `TEAMS`. It must be public. Redirects are not followed.',
  })
  url?: string | null;

  @Field(() => String, { nullable: true, description: 'The integration key for `PAGERDUTY`: 32 characters.' })
  routingKey?: string | null;

  @Field(() => PagerDutyRegion, { nullable: true, description: 'The region for `PAGERDUTY`.' })
  region?: PagerDutyRegion | null;

  @Field(() => [String], {
    nullable: true,
    description: 'The addresses for `EMAIL`. Each is that of a member of the account. Maximum 10.',
  })
  emails?: string[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether a `WEBHOOK` gets a new signing secret. The previous one is invalid at once.',
  })
  rotateSecret?: boolean | null;
}

@InputType({ description: 'A new alert channel.' })
export class CreateAlertChannelInput {
  @Field(() => String, { description: 'Name of the channel.' })
  name!: string;

  @Field(() => AlertChannelKind, { description: 'Type of the channel.' })
  kind!: AlertChannelKind;

  @Field(() => String, {
    nullable: true,
    description: 'The URL for `WEBHOOK`, `SLACK` and `TEAMS`. It must be public. Redirects are not followed.',
  })
  url?: string | null;

  @Field(() => String, { nullable: true, description: 'The integration key for `PAGERDUTY`: 32 characters.' })
  routingKey?: string | null;

  @Field(() => PagerDutyRegion, { nullable: true, description: 'The region for `PAGERDUTY`. Default: `US`.' })
  region?: PagerDutyRegion | null;

  @Field(() => [String], {
    nullable: true,
    description: 'The addresses for `EMAIL`. Each is that of a member of the account. Maximum 10.',
  })
  emails?: string[] | null;
}
