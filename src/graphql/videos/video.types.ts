import { Field, Float, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Node } from '../relay/node.types.ts';
import { PageInfo } from '../relay/page.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Money } from '../scalars/money.type.ts';

export enum VideoStatus {
  QUEUED = 'queued',
  IN_PROGRESS = 'in_progress',
  COMPLETED = 'completed',
  FAILED = 'failed',
}
registerEnumType(VideoStatus, {
  name: 'VideoStatus',
  description: 'How a video stands.',
  valuesConfig: {
    QUEUED: { description: 'The provider has it, and has not begun.' },
    IN_PROGRESS: { description: 'The provider makes it.' },
    COMPLETED: { description: 'Its content can be had: `GET /v1/videos/{videoId}/content`.' },
    FAILED: { description: 'It was not made, or not in time. Nothing is billed.' },
  },
});

@ObjectType({ description: 'Why a video was not made.' })
export class VideoError {
  @Field(() => String, { description: 'For programs.' })
  code!: string;

  @Field(() => String, { description: 'For people.' })
  message!: string;
}

@ObjectType({ implements: Node, description: 'A video that a provider makes, or has made. Beta.' })
export class Video implements Node {
  @Field(() => ID, { description: 'Global.' })
  id!: string;

  @Field(() => String, { description: 'Its id on the REST surface: `video_…`.' })
  videoId!: string;

  @Field(() => String, { description: '`provider/model`.' })
  model!: string;

  @Field(() => String, { description: 'Who makes it.' })
  provider!: string;

  @Field(() => VideoStatus, { description: 'How it stands.' })
  status!: VideoStatus;

  @Field(() => Int, { description: '0 to 100. A provider that does not tell stays at 0 until it is there.' })
  progress!: number;

  @Field(() => String, { description: 'What was asked for.' })
  prompt!: string;

  @Field(() => Float, { nullable: true, description: 'Its length; null where neither caller nor provider says.' })
  seconds!: number | null;

  @Field(() => String, { nullable: true, description: 'Width and height: `1280x720`.' })
  size!: string | null;

  @Field(() => VideoError, { nullable: true, description: 'Null where it has not failed.' })
  error!: VideoError | null;

  @Field(() => String, { nullable: true, description: 'The `videoId` of the video that it was made of.' })
  remixedFrom!: string | null;

  @Field(() => Money, { nullable: true, description: 'Null until it is completed.' })
  cost!: Money | null;

  @Field(() => DateTime, { description: 'When it was begun.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it was completed, or had failed.' })
  completedAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Until when the provider keeps its content.' })
  expiresAt!: Date | null;
}

@ObjectType({ description: 'An item of a page.' })
export class VideoEdge {
  @Field(() => Cursor, { description: 'Where it stands: what `after` and `before` take.' })
  cursor!: string;

  @Field(() => Video, { description: 'The item.' })
  node!: Video;
}

@ObjectType({ description: 'A page of videos, newest first.' })
export class VideoConnection {
  @Field(() => [VideoEdge], { description: 'With their cursors.' })
  edges!: VideoEdge[];

  @Field(() => [Video], { description: 'The same without their cursors.' })
  nodes!: Video[];

  @Field(() => PageInfo, { description: 'Where the page stands.' })
  pageInfo!: PageInfo;
}
