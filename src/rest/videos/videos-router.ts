import express, { type RequestHandler, type Response, type Router } from 'express';
import { formatUsd } from '../../catalogue/price.ts';
import { readListPage } from '../../services/list-page.ts';
import { toVideoResource } from '../../services/videos/video-resource.ts';
import type { VideosService } from '../../services/videos/videos.service.ts';
import { setStandardHeaders } from '../answer-headers.ts';
import { answerJson } from '../answer-json.ts';
import { keyOf } from '../caller.ts';
import { onlyMethods } from '../errors.ts';
import { createVideo, remixVideo, type VideoRouteDependencies } from './begin-video.ts';
import { videoContent } from './video-content.ts';

/** `/videos`, for a caller who is known. Source: OpenAI's API document, Videos. Beta. */
export function buildVideosRouter(deps: VideoRouteDependencies): Router {
  const { videos } = deps;
  const router = express.Router({ caseSensitive: true });
  const all = onlyMethods('GET', 'HEAD', 'POST', 'OPTIONS');
  const one = onlyMethods('GET', 'HEAD', 'DELETE', 'OPTIONS');
  const reading = onlyMethods('GET', 'HEAD', 'OPTIONS');
  const posting = onlyMethods('POST', 'OPTIONS');
  router.route('/videos').get(listVideos(videos)).post(createVideo(deps)).all(all);
  router.route('/videos/:id').get(retrieveVideo(videos)).delete(deleteVideo(videos)).all(one);
  router.route('/videos/:id/content').get(videoContent(videos)).all(reading);
  router.route('/videos/:id/remix').post(remixVideo(deps)).all(posting);
  return router;
}

function listVideos(videos: VideosService): RequestHandler {
  return async (request, response) => {
    const { rows, hasMore } = await videos.list(keyOf(response).accountId, readListPage(request.query));
    const data = rows.map(toVideoResource);
    const [first, last] = [data[0]?.id ?? null, data.at(-1)?.id ?? null];
    answer(response, { object: 'list', data, first_id: first, last_id: last, has_more: hasMore });
  };
}

function retrieveVideo(videos: VideosService): RequestHandler {
  return async (request, response) => {
    const video = await videos.get(keyOf(response).accountId, String(request.params.id));
    response.setHeader('x-sluice-provider', video.provider).setHeader('x-sluice-model', encodeURI(video.model));
    if (video.costNano !== null) response.setHeader('x-sluice-cost', formatUsd(video.costNano));
    answer(response, toVideoResource(video));
  };
}

function deleteVideo(videos: VideosService): RequestHandler {
  return async (request, response) => {
    const id = String(request.params.id);
    await videos.remove(keyOf(response).accountId, id);
    answer(response, { id, object: 'video.deleted', deleted: true });
  };
}

function answer(response: Response, body: object): void {
  setStandardHeaders(response);
  answerJson(response, 200, JSON.stringify(body));
}
