import type { Request, RequestHandler, Response } from 'express';
import { toSluiceError } from '../../errors/index.ts';
import type { Capability } from '../../gateway/capabilities/capability.ts';
import type { RequestedVideo } from '../../gateway/capabilities/video/parse.ts';
import { videoCreation, videoRemix, type StoreVideo } from '../../gateway/capabilities/video/video.ts';
import type { ResponseHead } from '../../gateway/client-response.ts';
import { release, type RequestInput } from '../../gateway/request-input.ts';
import { renderVideo, type VideosService } from '../../services/videos/videos.service.ts';
import { keyOf } from '../authentication/caller.ts';
import type { ObjectAccess } from '../authentication/object-access.ts';
import type { CapabilityRouteDependencies } from '../capability-route.ts';
import { HttpClientResponse } from '../http/http-client-response.ts';
import { rejectAtEdge } from '../http/reject-at-edge.ts';
import { rejectedRouteOf } from '../paths/rejected-route.ts';
import { readVideoRequest } from './read-video-request.ts';
import { identityOf, readLogHeader, readSessionHeader, readTagsHeader } from '../headers/request-headers.ts';
import { readTraceHeaders } from '../headers/trace-headers.ts';

export interface VideoRouteDependencies extends Pick<
  CapabilityRouteDependencies,
  'limits' | 'pipeline' | 'uploads' | 'idempotency'
> {
  readonly videos: VideosService;
  readonly access: ObjectAccess;
}

/** `POST /videos`. Runs through the pipeline, like every call to a provider. */
export function createVideo(deps: VideoRouteDependencies): RequestHandler {
  return createRoute(deps, async (request, response) => {
    await deps.videos.requireCapacity(keyOf(response).accountId);
    return videoCreation(videoKeeper(deps, request, response, null));
  });
}

/** `POST /videos/{id}/remix`. */
export function remixVideo(deps: VideoRouteDependencies): RequestHandler {
  return createRoute(deps, async (request, response) => {
    const key = keyOf(response);
    const source = await deps.videos.remixSource(
      await deps.access.reachOf(key, 'videos.read'),
      String(request.params.id),
    );
    await deps.videos.requireCapacity(key.accountId);
    return videoRemix(source, videoKeeper(deps, request, response, source.id));
  });
}

function videoKeeper(
  { videos }: VideoRouteDependencies,
  request: Request,
  response: Response,
  remixedFrom: string | null,
): StoreVideo {
  const [key, { eventId }] = [keyOf(response), identityOf(response)];
  return async (started) => {
    const tags = readTagsHeader(request);
    const trace = readTraceHeaders(request, readSessionHeader(request));
    return renderVideo(await videos.store({ key, eventId, remixedFrom, tags, trace }, started));
  };
}

/** The cost of a video is only known after its completion. */
class CreateVideoResponse extends HttpClientResponse {
  override head(head: ResponseHead): void {
    super.head({ ...head, costNano: null });
  }
}

/** Finds the capability after the idempotency key is claimed, so that a repeated request receives the first response. */
type FindCapability = (request: Request, response: Response) => Promise<Capability<RequestedVideo>>;

function createRoute(deps: VideoRouteDependencies, find: FindCapability): RequestHandler {
  const { limits, pipeline, uploads, idempotency } = deps;
  const read = readVideoRequest(uploads);
  return (request, real) => {
    const key = keyOf(real);
    const identity = identityOf(real);
    const claimed = idempotency.begin(request, real, key);
    const response = claimed?.response ?? real;
    const clientResponse = new CreateVideoResponse(response, identity, key, limits);
    const { eventId, requestId, startedAt } = identity;
    let given: RequestInput | null = null;
    const fail = (error: unknown): void => {
      const rejected = { key, identity, clientResponse, route: rejectedRouteOf(request), input: given };
      rejectAtEdge(pipeline, rejected, toSluiceError(error));
    };
    try {
      const contentLevel = readLogHeader(request);
      const tags = readTagsHeader(request);
      const trace = readTraceHeaders(request, readSessionHeader(request));
      const call = {
        key,
        eventId,
        requestId,
        startedAt,
        response: clientResponse,
        cacheMs: 0,
        contentLevel,
        tags,
        trace,
        span: real.locals.span,
        watch: null,
      };
      const start = async (input: RequestInput): Promise<void> => {
        const capability = await find(request, response).catch((error: unknown) => fail(error));
        // The request was rejected, or its client disconnected before a provider was called.
        if (capability === undefined || response.destroyed) return release(input);
        clientResponse.follow(pipeline.open(capability, call, input));
      };
      read(
        request,
        key,
        (input) => {
          given = input;
          const run = (): void => void start(input).catch(fail);
          if (claimed === null) run();
          else claimed.claim(input, run, fail);
        },
        (error) => {
          if (!response.headersSent) response.setHeader('connection', 'close');
          fail(error);
        },
      );
    } catch (error) {
      fail(error);
    }
  };
}
