import express, { type RequestHandler, type Response, type Router } from 'express';
import { formatUsd } from '../../catalogue/prices/price.ts';
import { readListPage } from '../../services/list-page.ts';
import { toVideoResource } from '../../services/videos/video-resource.ts';
import { setStandardHeaders } from '../headers/response-headers.ts';
import { sendJson } from '../http/send-json.ts';
import { keyOf } from '../authentication/caller.ts';
import { onlyMethods } from '../http/errors.ts';
import { createVideo, remixVideo, type VideoRouteDependencies } from './create-video.ts';
import { videoContent } from './video-content.ts';

/** `/videos`, for authenticated clients. Source: OpenAI's API document, Videos. Beta. */
export function buildVideosRouter(deps: VideoRouteDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  const all = onlyMethods('GET', 'HEAD', 'POST', 'OPTIONS');
  const one = onlyMethods('GET', 'HEAD', 'DELETE', 'OPTIONS');
  const reading = onlyMethods('GET', 'HEAD', 'OPTIONS');
  const posting = onlyMethods('POST', 'OPTIONS');
  router.route('/videos').get(listVideos(deps)).post(createVideo(deps)).all(all);
  router.route('/videos/:id').get(retrieveVideo(deps)).delete(deleteVideo(deps)).all(one);
  router.route('/videos/:id/content').get(videoContent(deps)).all(reading);
  router.route('/videos/:id/remix').post(remixVideo(deps)).all(posting);
  return router;
}

function listVideos({ videos, access }: VideoRouteDependencies): RequestHandler {
  return async (request, response) => {
    const reach = await access.reachOf(keyOf(response), 'videos.read');
    const { rows, hasMore } = await videos.list(reach, readListPage(request.query));
    const data = rows.map(toVideoResource);
    const [first, last] = [data[0]?.id ?? null, data.at(-1)?.id ?? null];
    answer(response, { object: 'list', data, first_id: first, last_id: last, has_more: hasMore });
  };
}

function retrieveVideo({ videos, access }: VideoRouteDependencies): RequestHandler {
  return async (request, response) => {
    const reach = await access.reachOf(keyOf(response), 'videos.read');
    const video = await videos.get(reach, String(request.params.id));
    response.setHeader('x-sluice-provider', video.provider).setHeader('x-sluice-model', encodeURI(video.model));
    if (video.costNano !== null) response.setHeader('x-sluice-cost', formatUsd(video.costNano));
    answer(response, toVideoResource(video));
  };
}

function deleteVideo({ videos, access }: VideoRouteDependencies): RequestHandler {
  return async (request, response) => {
    const id = String(request.params.id);
    await videos.remove(await access.reachOf(keyOf(response), 'videos.write'), id);
    answer(response, { id, object: 'video.deleted', deleted: true });
  };
}

function answer(response: Response, body: object): void {
  setStandardHeaders(response);
  sendJson(response, 200, JSON.stringify(body));
}
