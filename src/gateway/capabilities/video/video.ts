import { systemClock } from '../../../calendar/clock.ts';
import { maxVideoUse } from '../../../catalogue/prices/max-cost-usage.ts';
import type { Connection } from '../../../providers/contract.ts';
import { answerPromise } from '../../../providers/shared/http/answer-promise.ts';
import type { PreparedVideo, StartedVideo, VideoCall, VideoJob } from '../../../providers/shared/jobs/video-jobs.ts';
import type { VideoRequest } from '../../../providers/shared/media/video-request.ts';
import {
  mediaUsage,
  notSupported,
  tokenUsage,
  type Capability,
  type ProviderCall,
  type TokenUsage,
} from '../capability.ts';
import { readModelName } from '../../../protocols/canonical/validation/common-members.ts';
import { knownMembers } from '../known-members.ts';
import { compileValidator, type Validator } from '../../../protocols/canonical/validation/compile-validator.ts';
import { documentAnswer, jsonDocument } from '../json-document.ts';
import { DEFAULT_MODEL, hasNoModel, parseVideoRequest, type RequestedVideo } from './parse.ts';
import { videoRemixSchema, videoRequestSchema } from './schema.ts';

export { videoVariants } from '../../../providers/shared/jobs/video-jobs.ts';
export type { StartedVideo };
export type {
  VideoContent,
  VideoJob,
  VideoProgress,
  VideoService,
  VideoVariant,
  RequestedRange,
} from '../../../providers/shared/jobs/video-jobs.ts';

/** A job that a provider accepted. */
export interface AcceptedVideo {
  readonly connectionId: string;
  readonly provider: string;
  /** The provider's model name. */
  readonly upstreamModel: string;
  readonly request: RequestedVideo;
  readonly started: StartedVideo;
}

/** Stores a job before the client is answered. @returns the response, in JSON */
export type StoreVideo = (video: AcceptedVideo) => Promise<string>;

/** A completed video that is remixed. */
export interface RemixSource {
  readonly connectionId: string;
  /** Canonical: `provider/model`. */
  readonly model: string;
  /** The requested name, an alias or route included: a key may be restricted to those. */
  readonly requestedModel: string;
  readonly job: VideoJob;
}

const CANCEL_TIMEOUT_MS = 10_000;
const defaultModels = [DEFAULT_MODEL, `openai/${DEFAULT_MODEL}`];

const assertRemix: Validator<{ readonly prompt: string }> = compileValidator(videoRemixSchema);

const creationMembers = knownMembers(videoRequestSchema);
const remixMembers = knownMembers(videoRemixSchema);

/**
 * Creates a video: OpenAI's `POST /v1/videos`. It is admitted and routed like other requests and needs room in the
 * budgets for the maximum cost of the video. The request itself is free: the video is billed on completion by a usage
 * record of its own.
 */
export function videoCreation(store: StoreVideo): Capability<RequestedVideo> {
  return {
    ...common,
    members: creationMembers,
    modelName: (value, models, requester) =>
      hasNoModel(value)
        ? (defaultModels.find((name) => models.resolve(name, requester)) ?? readModelName(value))
        : readModelName(value),
    parse: parseVideoRequest,
    maxUsage: ({ seconds, size }) => maxVideoUsage(seconds ? Number(seconds) : null, size ?? null),
    send: (connection, request, call, receiver) => {
      const service = connection.services.video ?? notSupported(connection, 'video');
      const prepared = service.prepare(videoCall(request, call));
      return begin(prepared, { connection, request, call }, store, receiver);
    },
  };
}

/** Remixes a video with another prompt, at the same provider: `POST /v1/videos/{id}/remix`. */
export function videoRemix(source: RemixSource, store: StoreVideo): Capability<RequestedVideo> {
  return {
    ...common,
    members: remixMembers,
    modelName: (_value, models, requester) =>
      models.resolve(source.requestedModel, requester) === undefined ? source.model : source.requestedModel,
    parse: (value) => {
      assertRemix(value);
      return { prompt: value.prompt, requestedModel: source.requestedModel };
    },
    maxUsage: () => maxVideoUsage(source.job.seconds, source.job.size),
    send: (connection, request, call, receiver) => {
      const service = connection.services.video ?? notSupported(connection, 'video');
      // Only the connection that made the video has it.
      if (service.remix === undefined || connection.id !== source.connectionId)
        return notSupported(connection, 'remixes of this video');
      const prepared = service.remix(source.job, videoCall(request, call));
      return begin(prepared, { connection, request, call }, store, receiver);
    },
  };
}

const common = {
  ...jsonDocument,
  name: 'video',
  summarize: () => null,
  // The same request makes another video.
  cacheable: () => null,
  retained: () => ({ what: 'A video', next: 'Create it from an account without zero retention.' }),
  endUser: () => null,
  parseResponse: () => documentAnswer(tokenUsage(0, 0)),
  // A client that disconnects still gets its video, which is billed on completion.
  usageWithoutResponse: () => tokenUsage(0, 0),
} satisfies Partial<Capability<RequestedVideo>>;

function maxVideoUsage(seconds: number | null, size: string | null): TokenUsage {
  return mediaUsage([maxVideoUse(seconds, size)]);
}

interface Sending {
  readonly connection: Connection;
  readonly request: RequestedVideo;
  readonly call: ProviderCall;
}

type Receiver = Parameters<Capability<RequestedVideo>['send']>[3];

function begin(
  prepared: PreparedVideo,
  { connection, request, call }: Sending,
  store: StoreVideo,
  receiver: Receiver,
): readonly string[] {
  answerPromise(receiver, async (signal) => {
    const started = await prepared.start(signal);
    const { id: connectionId, provider } = connection;
    try {
      signal.throwIfAborted();
      const body = await store({ connectionId, provider, upstreamModel: call.model, request, started });
      return { contentType: 'application/json', body };
    } catch (error) {
      cancelOrphanedJob(connection, request, call, started);
      throw error;
    }
  });
  return prepared.dropped;
}

/** Cancels a job that no client can reach, if the provider supports it. */
function cancelOrphanedJob(
  { services }: Connection,
  request: RequestedVideo,
  call: ProviderCall,
  started: StartedVideo,
): void {
  const { id, state = {}, seconds, size } = started;
  const { model } = call;
  const job: VideoJob = { id, state, model, prompt: request.prompt, seconds, size, createdAt: systemClock.now() };
  void services.video?.remove?.(job, AbortSignal.timeout(CANCEL_TIMEOUT_MS)).catch(() => undefined);
}

function videoCall(request: VideoRequest, { model, requestId, parameters }: ProviderCall): VideoCall {
  return { model, request, requestId, parameters };
}
