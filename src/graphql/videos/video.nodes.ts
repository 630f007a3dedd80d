import { accountReach } from '../../services/object-reach.ts';
import type { VideosService } from '../../services/videos/videos.service.ts';
import { withTypename, type NodeLoaders } from '../relay/node-loader.ts';
import { toVideo } from './video.mapping.ts';

/** Videos by their IDs. */
export function videoNodes(videos: Pick<VideosService, 'byIds'>): NodeLoaders {
  return {
    Video: async (context, ids) => {
      const { accountId } = await context.require('videos.read');
      const rows = await videos.byIds(accountReach(accountId), ids);
      return rows.map((row) => withTypename('Video', toVideo(row)));
    },
  };
}
