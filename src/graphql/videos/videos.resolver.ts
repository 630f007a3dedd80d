import { Arg, Args, Ctx, ID, Query, Resolver, Root, Subscription } from 'type-graphql';
import type { Video as VideoEntity } from '../../database/entities/index.ts';
import { publicVideoId } from '../../services/videos/video-id.ts';
import { accountReach } from '../../services/object-reach.ts';
import type { VideosService } from '../../services/videos/videos.service.ts';
import { Requires, RequiresAtStart } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { readGlobalId, toGlobalId } from '../relay/global-id.ts';
import { PageArgs, pageRequest, toConnection } from '../relay/page.ts';
import { subscription, type SubscribeInput } from '../operation/subscription.ts';
import { toVideo } from './video.mapping.ts';
import { Video, VideoConnection } from './video.types.ts';

@Resolver()
export class VideosResolver {
  readonly #videos: VideosService;

  constructor(videos: VideosService) {
    this.#videos = videos;
  }

  @Requires('videos.read')
  @Query(() => Video, { description: 'A video of the account. Beta.' })
  async video(
    @Arg('id', () => ID, { description: 'The `id` or the `videoId`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<Video> {
    const { accountId } = await context.caller();
    return toVideo(await this.#videos.get(accountReach(accountId), publicIdOf(id)));
  }

  @Requires('videos.read')
  @Query(() => VideoConnection, { description: 'The account’s videos, newest first. Beta.' })
  async videos(@Args(() => PageArgs) page: PageArgs, @Ctx() context: GraphqlContext): Promise<VideoConnection> {
    const { accountId } = await context.caller();
    const request = pageRequest(page);
    const { limit, from, backwards } = request;
    const after = from === null ? null : publicIdOf(from);
    const found = await this.#videos.list(accountReach(accountId), {
      limit,
      order: backwards ? 'asc' : 'desc',
      after,
    });
    return toConnection(found, request, (row) => ({ cursor: toGlobalId('Video', row.id), node: toVideo(row) }));
  }

  @RequiresAtStart('videos.read')
  @Subscription(() => Video, {
    description: 'The current state of a video, then each change until it is completed or failed. Beta.',
    subscribe: subscription(() => VideosResolver),
  })
  videoProgress(
    @Root() row: VideoEntity,
    @Arg('id', () => ID, { description: 'The `id` or the `videoId`.' }) _id: string,
  ): Video {
    return toVideo(row);
  }

  async subscribe({
    args,
    context,
    signal,
  }: SubscribeInput<{ readonly id: string }>): Promise<AsyncIterableIterator<VideoEntity>> {
    const { accountId } = await context.require('videos.read');
    const publicId = publicIdOf(args.id);
    // A missing object is an error of the operation, not an empty stream.
    await this.#videos.get(accountReach(accountId), publicId);
    return this.#videos.watch(accountReach(accountId), publicId, signal);
  }
}

function publicIdOf(id: string): string {
  const own = readGlobalId('Video', id);
  return own === null ? id : publicVideoId(own);
}
