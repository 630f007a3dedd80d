import type { Request, RequestHandler, Response } from 'express';
import { toSluiceError } from '../../errors/index.ts';
import type { Capability } from '../../gateway/capabilities/capability.ts';
import { videoCreation, videoRemix, type AskedVideo, type KeepVideo } from '../../gateway/capabilities/video/video.ts';
import type { AnswerHead } from '../../gateway/outlet.ts';
import { renderVideo, type VideosService } from '../../services/videos/videos.service.ts';
import { keyOf } from '../caller.ts';
import type { ObjectAccess } from '../object-access.ts';
import type { CapabilityRouteDependencies } from '../capability-route.ts';
import { HttpOutlet } from '../http-outlet.ts';
import { identityOf } from '../request-identity.ts';
import { readTagsHeader } from '../tags-header.ts';
import { readVideoRequest } from './read-video-request.ts';

export interface VideoRouteDependencies extends Pick<
  CapabilityRouteDependencies,
  'limits' | 'pipeline' | 'uploads' | 'idempotency'
> {
  readonly videos: VideosService;
  readonly access: ObjectAccess;
}

/** `POST /videos`: through the pipeline, like every call to a provider. */
export function createVideo(deps: VideoRouteDependencies): RequestHandler {
  const run = beginning(deps);
  return async (request, response) => {
    await deps.videos.assertRoom(keyOf(response).accountId);
    run(request, response, videoCreation(keeping(deps, request, response, null)));
  };
}

/** `POST /videos/{id}/remix`. */
export function remixVideo(deps: VideoRouteDependencies): RequestHandler {
  const run = beginning(deps);
  return async (request, response) => {
    const key = keyOf(response);
    const source = await deps.videos.remixSource(
      await deps.access.reachOf(key, 'videos.read'),
      String(request.params.id),
    );
    await deps.videos.assertRoom(key.accountId);
    run(request, response, videoRemix(source, keeping(deps, request, response, source.id)));
  };
}

function keeping(
  { videos }: VideoRouteDependencies,
  request: Request,
  response: Response,
  remixedFrom: string | null,
): KeepVideo {
  const [key, { eventId }] = [keyOf(response), identityOf(response)];
  return async (taken) =>
    renderVideo(await videos.keep({ key, eventId, remixedFrom, tags: readTagsHeader(request) }, taken));
}

/** What a video costs is not known when it begins: it is told once it is there. */
class BeginningOutlet extends HttpOutlet {
  override head(head: AnswerHead): void {
    super.head({ ...head, costNano: null });
  }
}

type Run = (request: Request, response: Response, capability: Capability<AskedVideo>) => void;

function beginning({ limits, pipeline, uploads, idempotency }: VideoRouteDependencies): Run {
  const read = readVideoRequest(uploads);
  return (request, real, capability) => {
    const key = keyOf(real);
    const identity = identityOf(real);
    const claimed = idempotency.begin(request, real, key);
    const response = claimed?.response ?? real;
    const outlet = new BeginningOutlet(response, identity, key, limits);
    const { eventId, requestId, startedAt } = identity;
    try {
      const tags = readTagsHeader(request);
      const call = { key, eventId, requestId, startedAt, outlet, cacheMs: 0, tags, watch: null };
      read(
        request,
        key,
        (input) => {
          const run = (): void => outlet.follow(pipeline.open(capability, call, input));
          if (claimed === null) run();
          else claimed.claim(input, run, (error) => outlet.fail(error, null));
        },
        (error) => {
          if (!response.headersSent) response.setHeader('connection', 'close');
          outlet.fail(error, null);
        },
      );
    } catch (error) {
      outlet.fail(toSluiceError(error), null);
    }
  };
}
