import { SluiceError } from '../../errors/index.ts';
import type { ConnectionSettings } from '../contract.ts';
import { JobHttp } from '../shared/jobs/job-http.ts';
import type { ProviderErrorDetails } from '../../protocols/canonical/reported-error.ts';
import type { VideoCall, VideoJob, VideoProgress, VideoService } from '../shared/jobs/video-jobs.ts';
import { isInline, unsupportedVideoParameters, referenceUrl, shapeOf } from '../shared/media/video-parameters.ts';
import { filledTextOf, objectOf } from '../../protocols/canonical/json-members.ts';
import type { VideoConnection } from '../bridge/package-declaration.ts';

const OWN = 'https://api.lumalabs.ai';
/** Defaults. Source: docs.lumalabs.ai/docs/video-generation. */
const DEFAULT_SECONDS = 5;

/** Luma's Dream Machine. Source: docs.lumalabs.ai/docs/video-generation, and lumalabs/lumaai-api's openapi.yaml. */
export function lumaVideo(settings: ConnectionSettings): VideoConnection {
  const { apiKey, baseUrl = OWN, connectTimeoutMs, dial, foreignDial } = settings;
  const headers = apiKey === undefined ? [] : ['authorization', `Bearer ${apiKey}`];
  const http = new JobHttp({ provider: 'luma', baseUrl, headers, connectTimeoutMs, dial, foreignDial, readError });
  return { http, service: service(http) };
}

function service(http: JobHttp): VideoService {
  const all = http.url('/dream-machine/v1/generations');
  const one = ({ id }: VideoJob): string => `${all}/${encodeURIComponent(id)}`;
  return {
    prepare: (call) => {
      const reference = call.request.input_reference;
      // Luma accepts images as URLs only.
      const isSupported = !reference || ('image_url' in reference && !isInline(reference));
      const dropped = unsupportedVideoParameters('luma', call, { reference: isSupported });
      return {
        dropped,
        start: async (signal) => {
          const json = await requestOf(call, isSupported);
          const id = filledTextOf(objectOf(await http.json(all, { method: 'POST', json, signal }))?.id);
          if (id === null) throw http.invalid('a generation without an id');
          const { seconds, size } = call.request;
          const requestedSeconds = seconds ? Number(seconds) : DEFAULT_SECONDS;
          return { id, seconds: requestedSeconds, secondsAssumed: true, size: size ?? null };
        },
      };
    },
    poll: async (job, signal) => progressOf(http, await http.json(one(job), { signal })),
    content: ({ state }, variant, part, signal) => {
      const address = variant === 'video' ? state.video : variant === 'thumbnail' ? state.image : undefined;
      return address === undefined ? Promise.resolve(null) : http.content(address, part, signal);
    },
    remove: async (job, signal) => {
      try {
        await http.json(one(job), { method: 'DELETE', signal });
      } catch (error) {
        if (!(error instanceof SluiceError && error.status === 404)) throw error;
      }
    },
  };
}

async function requestOf({ model, request }: VideoCall, withReference: boolean): Promise<object> {
  const { prompt, seconds, size, input_reference: reference } = request;
  const shape = size ? shapeOf(size) : null;
  const url = reference && withReference ? await referenceUrl(reference) : null;
  return {
    prompt,
    model,
    ...(seconds && { duration: `${seconds}s` }),
    ...(shape && { aspect_ratio: shape.aspectRatio, resolution: shape.resolution }),
    ...(url !== null && { keyframes: { frame0: { type: 'image', url } } }),
  };
}

function progressOf(http: JobHttp, answer: unknown): VideoProgress {
  const generation = objectOf(answer);
  const state = filledTextOf(generation?.state);
  if (state === 'failed')
    return {
      status: 'failed',
      code: 'video_generation_failed',
      message:
        filledTextOf(generation?.failure_reason) ?? filledTextOf(generation?.state_reason) ?? 'Luma gave no reason.',
    };
  if (state !== 'completed') return { status: state === 'queued' ? 'queued' : 'in_progress', progress: null };
  const assets = objectOf(generation?.assets);
  const video = filledTextOf(assets?.video);
  const image = filledTextOf(assets?.image) ?? filledTextOf(assets?.thumbnail);
  if (video === null) throw http.invalid('a generation without a video');
  return { status: 'completed', state: { video, ...(image !== null && { image }) } };
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
