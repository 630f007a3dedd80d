import { Field, Float, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { PageInfo } from '../relay/page.ts';
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
    COMPLETED: { description: 'Its content can be had: `GET /v1/videos/{videoId}/content`.' },
    FAILED: { description: 'It was not made, or not in time. Nothing is billed.' },
  },
});

@ObjectType({ description: 'Why a video was not made.' })
export class VideoError {
  @Field(() => String)
  code!: string;

  @Field(() => String)
  message!: string;
}

@ObjectType({ description: 'A video that a provider makes, or has made. Beta.' })
export class Video {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { description: 'Its id on the REST surface: `video_…`.' })
  videoId!: string;

  @Field(() => String, { description: '`provider/model`.' })
  model!: string;

  @Field(() => String)
  provider!: string;

  @Field(() => VideoStatus)
  status!: VideoStatus;

  @Field(() => Int, { description: '0 to 100. A provider that does not tell stays at 0 until it is there.' })
  progress!: number;

  @Field(() => String)
  prompt!: string;

  @Field(() => Float, { nullable: true, description: 'Its length; null where neither caller nor provider says.' })
  seconds!: number | null;

  @Field(() => String, { nullable: true, description: 'Width and height: `1280x720`.' })
  size!: string | null;

  @Field(() => VideoError, { nullable: true })
  error!: VideoError | null;

  @Field(() => String, { nullable: true, description: 'The `videoId` of the video that it was made of.' })
  remixedFrom!: string | null;

  @Field(() => Money, { nullable: true, description: 'Null until it is completed.' })
  cost!: Money | null;

  @Field(() => DateTime)
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it was completed, or had failed.' })
  completedAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Until when the provider keeps its content.' })
  expiresAt!: Date | null;
}

@ObjectType()
export class VideoEdge {
  @Field(() => String)
  cursor!: string;

  @Field(() => Video)
  node!: Video;
}

@ObjectType({ description: 'A page of videos, newest first.' })
export class VideoConnection {
  @Field(() => [VideoEdge])
  edges!: VideoEdge[];

  @Field(() => [Video])
  nodes!: Video[];

  @Field(() => PageInfo)
  pageInfo!: PageInfo;
}
