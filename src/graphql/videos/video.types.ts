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
  description: 'The status of a video.',
  valuesConfig: {
    QUEUED: { description: 'The provider has accepted the job but not started it.' },
    IN_PROGRESS: { description: 'The provider is generating the video.' },
    COMPLETED: { description: 'The content is available at `GET /v1/videos/{videoId}/content`.' },
    FAILED: { description: 'The generation failed or timed out. Nothing is billed.' },
  },
});

@ObjectType({ description: 'Why a video failed.' })
export class VideoError {
  @Field(() => String, { description: 'Machine-readable error code.' })
  code!: string;

  @Field(() => String, { description: 'Human-readable message.' })
  message!: string;
}

@ObjectType({ implements: Node, description: 'A video generation job. Beta.' })
export class Video implements Node {
  @Field(() => ID, { description: 'Global ID.' })
  id!: string;

  @Field(() => String, { description: 'The ID in the REST API: `video_…`.' })
  videoId!: string;

  @Field(() => String, { description: '`provider/model`.' })
  model!: string;

  @Field(() => String, { description: 'The provider that generates the video.' })
  provider!: string;

  @Field(() => VideoStatus, { description: 'Current status.' })
  status!: VideoStatus;

  @Field(() => Int, {
    description: 'Progress from 0 to 100. Stays at 0 until completion if the provider does not report progress.',
  })
  progress!: number;

  @Field(() => String, { description: 'The prompt.' })
  prompt!: string;

  @Field(() => Float, {
    nullable: true,
    description: 'Duration in seconds. Null if neither the request nor the provider specifies it.',
  })
  seconds!: number | null;

  @Field(() => String, { nullable: true, description: 'Width and height: `1280x720`.' })
  size!: string | null;

  @Field(() => VideoError, { nullable: true, description: 'Null if it has not failed.' })
  error!: VideoError | null;

  @Field(() => String, { nullable: true, description: 'The `videoId` of the source video of a remix.' })
  remixedFrom!: string | null;

  @Field(() => Money, { nullable: true, description: 'Null until the video is completed.' })
  cost!: Money | null;

  @Field(() => DateTime, { description: 'Start time.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When the video was completed or failed.' })
  completedAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When the provider deletes the content.' })
  expiresAt!: Date | null;
}

@ObjectType({ description: 'An item with its cursor.' })
export class VideoEdge {
  @Field(() => Cursor, { description: 'The cursor of this item, for `after` and `before`.' })
  cursor!: string;

  @Field(() => Video, { description: 'The item.' })
  node!: Video;
}

@ObjectType({ description: 'A page of videos, newest first.' })
export class VideoConnection {
  @Field(() => [VideoEdge], { description: 'The items with their cursors.' })
  edges!: VideoEdge[];

  @Field(() => [Video], { description: 'The items without their cursors.' })
  nodes!: Video[];

  @Field(() => PageInfo, { description: 'Pagination information.' })
  pageInfo!: PageInfo;
}
