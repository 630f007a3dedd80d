import { Arg, Args, Ctx, ID, Query, Resolver, Root, Subscription } from 'type-graphql';
import type { Video as VideoEntity } from '../../database/entities/index.ts';
import { publicVideoId } from '../../services/videos/video-id.ts';
import { Requires } from '../access.ts';
import type { GraphqlContext } from '../context.ts';
import { readGlobalId, toGlobalId } from '../relay/global-id.ts';
import { ForwardPageArgs, pageSize } from '../relay/page.ts';
import { usd } from '../scalars/money.type.ts';
import { subscription, type SubscribeInput } from '../subscription.ts';
import { Video, VideoConnection, VideoStatus } from './video.types.ts';

const statuses: Readonly<Record<VideoEntity['status'], VideoStatus>> = {
  queued: VideoStatus.QUEUED,
  in_progress: VideoStatus.IN_PROGRESS,
  completed: VideoStatus.COMPLETED,
  failed: VideoStatus.FAILED,
};

@Resolver()
export class VideosResolver {
  @Requires('videos.read')
  @Query(() => Video, { description: 'A video of the account. Beta.' })
  async video(
    @Arg('id', () => ID, { description: 'Its `id`, or its `videoId`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<Video> {
    const { accountId } = await context.caller();
    return toVideo(await context.services.videos.get(accountId, publicIdOf(id)));
  }

  @Requires('videos.read')
  @Query(() => VideoConnection, { description: 'The account’s videos, newest first. Beta.' })
  async videos(
    @Args(() => ForwardPageArgs) page: ForwardPageArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<VideoConnection> {
    const { accountId } = await context.caller();
    const limit = pageSize('first', page.first);
    const after = page.after ? publicIdOf(page.after) : null;
    const { rows, hasMore } = await context.services.videos.list(accountId, { limit, order: 'desc', after });
    const edges = rows.map(toVideo).map((node) => ({ cursor: node.id, node }));
    const pageInfo = {
      hasNextPage: hasMore,
      hasPreviousPage: Boolean(page.after),
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    };
    return { edges, nodes: edges.map(({ node }) => node), pageInfo };
  }

  @Subscription(() => Video, {
    description: 'A video as it is, then at each change, until it is completed or has failed. Beta.',
    subscribe: subscription(subscribe),
  })
  videoProgress(
    @Root() row: VideoEntity,
    @Arg('id', () => ID, { description: 'Its `id`, or its `videoId`.' }) _id: string,
  ): Video {
    return toVideo(row);
  }
}

async function subscribe({
  args,
  context,
  signal,
}: SubscribeInput<{ readonly id: string }>): Promise<AsyncIterableIterator<VideoEntity>> {
  const { accountId } = await context.require('videos.read');
  const { videos } = context.services;
  const publicId = publicIdOf(args.id);
  // What is not there is told at once, and not as a stream that ends.
  await videos.get(accountId, publicId);
  return videos.watch(accountId, publicId, signal);
}

function publicIdOf(id: string): string {
  const own = readGlobalId('Video', id);
  return own === null ? id : publicVideoId(own);
}

function toVideo(row: VideoEntity): Video {
  const { model, provider, progress, prompt, seconds, size, createdAt, completedAt, expiresAt } = row;
  return {
    id: toGlobalId('Video', row.id),
    videoId: publicVideoId(row.id),
    model,
    provider,
    status: statuses[row.status],
    progress,
    prompt,
    seconds,
    size,
    error: row.errorCode === null ? null : { code: row.errorCode, message: row.errorMessage ?? '' },
    remixedFrom: row.remixedFrom && publicVideoId(row.remixedFrom),
    cost: row.costNano === null ? null : usd(row.costNano),
    createdAt,
    completedAt,
    expiresAt,
  };
}
