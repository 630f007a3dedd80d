import { pathSegments } from '../shared/http/path-segment.ts';
import { SluiceError } from '../../errors/index.ts';
import type { ConnectionSettings } from '../contract.ts';
import { JobHttp } from '../shared/jobs/job-http.ts';
import type { ProviderErrorDetails } from '../../protocols/canonical/reported-error.ts';
import type { VideoCall, VideoJob, VideoProgress, VideoService } from '../shared/jobs/video-jobs.ts';
import { unsupportedVideoParameters, referenceUrl, shapeOf } from '../shared/media/video-parameters.ts';
import { filledTextOf, objectOf } from '../../protocols/canonical/json-members.ts';
import type { VideoConnection } from '../bridge/package-declaration.ts';

const QUEUE = 'https://queue.fal.run';
/** Models with durations such as `8s`; others have the number as text. */
const withUnit = /veo|luma|ray/i;

/**
 * fal's queue: a job is submitted to a model's path, and polled under the first two segments of the model's name.
 * Source: docs.fal.ai/model-apis/model-endpoints/queue. Parameters differ by model; most have `duration`,
 * `aspect_ratio`, `resolution` and `image_url`.
 */
export function falVideo(settings: ConnectionSettings): VideoConnection {
  const { apiKey, baseUrl = QUEUE, connectTimeoutMs, dial, foreignDial } = settings;
  const headers = apiKey === undefined ? [] : ['authorization', `Key ${apiKey}`];
  const http = new JobHttp({ provider: 'fal', baseUrl, headers, connectTimeoutMs, dial, foreignDial, readError });
  return { http, service: service(http) };
}

function service(http: JobHttp): VideoService {
  const one = ({ id, model }: VideoJob, action = ''): string =>
    http.url(`/${pathSegments(model.split('/').slice(0, 2).join('/'))}/requests/${encodeURIComponent(id)}${action}`);
  return {
    prepare: (call) => {
      const reference = call.request.input_reference;
      const dropped = unsupportedVideoParameters('fal', call, { reference: !reference || !('file_id' in reference) });
      return {
        dropped,
        start: async (signal) => {
          const url = http.url(`/${pathSegments(call.model)}`);
          const answer = objectOf(await http.json(url, { method: 'POST', json: await inputOf(call), signal }));
          const id = filledTextOf(answer?.request_id);
          if (id === null) throw http.invalid('a job without an id');
          const { seconds, size } = call.request;
          return { id, seconds: seconds ? Number(seconds) : null, secondsAssumed: true, size: size ?? null };
        },
      };
    },
    poll: async (job, signal) => {
      const state = objectOf(await http.json(one(job, '/status'), { signal }));
      const status = filledTextOf(state?.status);
      if (status !== 'COMPLETED')
        return { status: status === 'IN_QUEUE' ? 'queued' : 'in_progress', progress: null } as const;
      const failure = filledTextOf(state?.error);
      return failure === null ? resultOf(http, one(job), signal) : failed(failure);
    },
    content: ({ state }, variant, part, signal) =>
      variant === 'video' && state.url !== undefined ? http.content(state.url, part, signal) : Promise.resolve(null),
    remove: async (job, signal) => {
      await http.json(one(job, '/cancel'), { method: 'PUT', signal });
    },
  };
}

/** The result of a failed job is its error. */
async function resultOf(http: JobHttp, url: string, signal: AbortSignal): Promise<VideoProgress> {
  let answer;
  try {
    answer = objectOf(await http.json(url, { signal }));
  } catch (error) {
    if (error instanceof SluiceError && error.upstream && error.status < 500 && error.status !== 429)
      return failed(error.message);
    throw error;
  }
  const videos: unknown = answer?.videos;
  const video = objectOf(answer?.video) ?? (Array.isArray(videos) ? objectOf(videos[0]) : null);
  const address = filledTextOf(video?.url);
  if (address === null) throw http.invalid('a result without a video');
  const [width, height] = [positiveOf(video?.width), positiveOf(video?.height)];
  return {
    status: 'completed',
    state: { url: address },
    seconds: positiveOf(video?.duration),
    size: width !== null && height !== null ? `${width}x${height}` : null,
  };
}

function failed(message: string): VideoProgress {
  return { status: 'failed', code: 'video_generation_failed', message };
}

async function inputOf({ model, request }: VideoCall): Promise<object> {
  const { prompt, seconds, size, input_reference: reference } = request;
  const shape = size ? shapeOf(size) : null;
  const image = reference ? await referenceUrl(reference) : null;
  return {
    prompt,
    ...(seconds && { duration: durationOf(model, seconds) }),
    ...(shape && { aspect_ratio: shape.aspectRatio, resolution: shape.resolution }),
    ...(image !== null && { image_url: image }),
  };
}

function durationOf(model: string, seconds: string): string | number {
  if (/sora/i.test(model)) return Number(seconds);
  return withUnit.test(model) ? `${seconds}s` : seconds;
}

/** `{"detail": "..."}`, or a list of errors with their paths. */
function readError(body: string): ProviderErrorDetails | null {
  try {
    const detail: unknown = objectOf(JSON.parse(body))?.detail;
    const [first]: unknown[] = Array.isArray(detail) ? detail : [];
    const message = filledTextOf(detail) ?? filledTextOf(objectOf(first)?.msg);
    return message === null ? null : { message, type: null, code: null, param: null };
  } catch {
    return null;
  }
}

function positiveOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : null;
}
