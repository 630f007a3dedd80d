import { pathSegments } from '../shared/http/path-segment.ts';
import { systemClock } from '../../calendar/clock.ts';
import type { ConnectionSettings } from '../contract.ts';
import { JobHttp } from '../shared/jobs/job-http.ts';
import type { ProviderErrorDetails } from '../../protocols/canonical/reported-error.ts';
import type { VideoCall, VideoJob, VideoProgress, VideoService } from '../shared/jobs/video-jobs.ts';
import { unsupportedVideoParameters, referenceUrl, shapeOf } from '../shared/media/video-parameters.ts';
import { filledTextOf, objectOf } from '../../protocols/canonical/json-members.ts';
import type { VideoConnection } from '../bridge/package-declaration.ts';

const OWN = 'https://api.replicate.com/v1';
/** Source: replicate.com/docs/topics/predictions/output-files: files are deleted after an hour. */
const RETENTION_MS = 3_600_000;

/**
 * Replicate's predictions. A model is `owner/name`, or `owner/name:version`. Parameters differ by model; most have
 * `duration`, `aspect_ratio`, `resolution` and `image`. Source: replicate.com/docs/reference/http.
 */
export function replicateVideo(settings: ConnectionSettings): VideoConnection {
  const { apiKey, baseUrl = OWN, connectTimeoutMs, dial, foreignDial } = settings;
  const headers = apiKey === undefined ? [] : ['authorization', `Bearer ${apiKey}`];
  const http = new JobHttp({ provider: 'replicate', baseUrl, headers, connectTimeoutMs, dial, foreignDial, readError });
  return { http, service: service(http) };
}

function service(http: JobHttp): VideoService {
  const one = ({ id }: VideoJob, action = ''): string => http.url(`/predictions/${encodeURIComponent(id)}${action}`);
  return {
    prepare: (call) => {
      const reference = call.request.input_reference;
      const dropped = unsupportedVideoParameters('replicate', call, {
        reference: !reference || !('file_id' in reference),
      });
      return {
        dropped,
        start: async (signal) => {
          const [name = '', version] = call.model.split(':');
          const path = version === undefined ? `/models/${pathSegments(name)}/predictions` : '/predictions';
          const json = { input: await inputOf(call), ...(version !== undefined && { version }) };
          const id = filledTextOf(objectOf(await http.json(http.url(path), { method: 'POST', json, signal }))?.id);
          if (id === null) throw http.invalid('a prediction without an id');
          const { seconds, size } = call.request;
          return { id, seconds: seconds ? Number(seconds) : null, secondsAssumed: true, size: size ?? null };
        },
      };
    },
    poll: async (job, signal) => progressOf(http, await http.json(one(job), { signal })),
    content: ({ state }, variant, part, signal) =>
      variant === 'video' && state.url !== undefined ? http.content(state.url, part, signal) : Promise.resolve(null),
    // Replicate deletes a finished prediction after an hour; a running one is cancelled.
    remove: async (job, signal) => {
      await http.json(one(job, '/cancel'), { method: 'POST', signal });
    },
  };
}

async function inputOf({ request }: VideoCall): Promise<object> {
  const { prompt, seconds, size, input_reference: reference } = request;
  const shape = size ? shapeOf(size) : null;
  const image = reference ? await referenceUrl(reference) : null;
  return {
    prompt,
    ...(seconds && { duration: Number(seconds) }),
    ...(shape && { aspect_ratio: shape.aspectRatio, resolution: shape.resolution }),
    ...(image !== null && { image }),
  };
}

function progressOf(http: JobHttp, answer: unknown): VideoProgress {
  const prediction = objectOf(answer);
  const status = filledTextOf(prediction?.status);
  if (status === 'failed' || status === 'canceled' || status === 'aborted')
    return {
      status: 'failed',
      code: 'video_generation_failed',
      message: filledTextOf(prediction?.error) ?? `Replicate says that it is ${status}.`,
    };
  if (status !== 'succeeded') return { status: status === 'starting' ? 'queued' : 'in_progress', progress: null };
  const output: unknown = prediction?.output;
  const url = filledTextOf(Array.isArray(output) ? output.at(-1) : output) ?? filledTextOf(objectOf(output)?.video);
  if (url === null) throw http.invalid('a prediction without a video');
  return { status: 'completed', state: { url }, expiresAt: systemClock.now() + RETENTION_MS };
}

/** Source: replicate.com/docs/reference/http, errors: RFC 7807. */
function readError(body: string): ProviderErrorDetails | null {
  try {
    const error = objectOf(JSON.parse(body));
    const message = filledTextOf(error?.detail) ?? filledTextOf(error?.title);
    return message === null ? null : { message, type: null, code: null, param: null };
  } catch {
    return null;
  }
}
