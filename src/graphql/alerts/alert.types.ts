import { Field, Float, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Node } from '../relay/node.types.ts';
import { PageInfo } from '../relay/page.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';
import { AlertChannelKind, AlertKind, AlertTransition } from './alert-enums.ts';

export enum AlertDeliveryStatus {
  PENDING = 'pending',
  DELIVERED = 'delivered',
  FAILED = 'failed',
}
registerEnumType(AlertDeliveryStatus, {
  name: 'AlertDeliveryStatus',
  description: 'The status of a notification.',
  valuesConfig: {
    PENDING: { description: 'It is not delivered yet, and is retried.' },
    DELIVERED: { description: 'It was accepted. An e-mail is queued for the mail server.' },
    FAILED: { description: 'It is not retried.' },
  },
});

@ObjectType({ description: 'A notification of an alert to one channel.' })
export class AlertDelivery {
  @Field(() => String, { description: 'Name of the channel.' })
  channelName!: string;

  @Field(() => AlertChannelKind, { description: 'Type of the channel.' })
  channelKind!: AlertChannelKind;

  @Field(() => String, { nullable: true, description: 'The e-mail address. Null for other types.' })
  email!: string | null;

  @Field(() => AlertDeliveryStatus, { description: 'Status of the notification.' })
  status!: AlertDeliveryStatus;

  @Field(() => Int, { description: 'Number of attempts.' })
  attempts!: number;

  @Field(() => Int, { nullable: true, description: 'HTTP status of the last response. Null if there was no response.' })
  lastStatus!: number | null;

  @Field(() => String, { nullable: true, description: 'Why the last attempt failed.' })
  lastFailure!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was delivered.' })
  deliveredAt!: Date | null;
}

@ObjectType({ implements: Node, description: 'An alert that fired or resolved, or a test of a channel.' })
export class Alert implements Node {
  @Field(() => ID, { description: 'Global ID.' })
  id!: string;

  @Field(() => ID, { nullable: true, description: 'ID of the `AlertRule`. Null after its deletion, and for a test.' })
  ruleId!: string | null;

  @Field(() => String, { description: 'Name of the rule at that time. For a test, name of the channel.' })
  ruleName!: string;

  @Field(() => AlertKind, { nullable: true, description: 'What the rule observes. Null for a test.' })
  kind!: AlertKind | null;

  @Field(() => AlertTransition, { description: 'What happened.' })
  transition!: AlertTransition;

  @Field(() => String, { description: 'Name of the provider, key or budget. Empty for the account.' })
  subject!: string;

  @Field(() => Float, { nullable: true, description: 'The value in the unit of the kind.' })
  value!: number | null;

  @Field(() => Float, { nullable: true, description: 'The threshold at that time.' })
  threshold!: number | null;

  @Field(() => String, { description: 'A sentence for people.' })
  summary!: string;

  @Field(() => String, { description: 'A path of the dashboard that shows the data.' })
  path!: string;

  @Field(() => ID, { description: 'ID of the `Alert` that fired. The same for the one that resolves it.' })
  incidentId!: string;

  @Field(() => DateTime, { description: 'When it happened.' })
  createdAt!: Date;

  @Field(() => [AlertDelivery], {
    description: 'Its notifications. At most one per channel and address. Empty while the rule is muted.',
  })
  deliveries!: AlertDelivery[];
}

@ObjectType({ description: 'An alert with its cursor.' })
export class AlertEdge {
  @Field(() => Cursor, { description: 'The cursor of this item, for `after` and `before`.' })
  cursor!: string;

  @Field(() => Alert, { description: 'The alert.' })
  node!: Alert;
}

@ObjectType({ description: 'A page of alerts, newest first.' })
export class AlertConnection {
  @Field(() => [AlertEdge], { description: 'The alerts with their cursors.' })
  edges!: AlertEdge[];

  @Field(() => [Alert], { description: 'The alerts.' })
  nodes!: Alert[];

  @Field(() => PageInfo, { description: 'Pagination information.' })
  pageInfo!: PageInfo;
}
