import type { FormField } from '../../http/form-body.ts';
import type { JobHttp } from '../../jobs/job-http.ts';
import { filledTextOf, isObject, membersOf, type JsonObject } from '../../../../protocols/canonical/json-members.ts';
import type {
  PreparedVideo,
  StartedVideo,
  VideoCall,
  VideoJob,
  VideoProgress,
  VideoService,
} from '../../jobs/video-jobs.ts';
import { SluiceError } from '../../../../errors/index.ts';

export interface OpenAiVideoClient {
  readonly http: JobHttp;
  /** The complete path of an endpoint for a model, with its query. */
  path(endpoint: string, model: string): string;
}

/**
 * OpenAI's videos: `POST /videos`, `GET /videos/{id}`, `/content`, `/remix`, `DELETE`. Source: OpenAI's API document,
 * Videos.
 */
export function openAiVideo({ http, path }: OpenAiVideoClient): VideoService {
  const at = (endpoint: string, model: string): string => http.rooted(path(endpoint, model));
  const one = ({ id, model }: VideoJob, action = ''): string => at(`/videos/${encodeURIComponent(id)}${action}`, model);
  const started = (answer: unknown, { request }: VideoCall, source: VideoJob | null): StartedVideo => {
    const video = members(http, answer);
    if (typeof video.id !== 'string') throw http.invalid('a video without an id');
    const reported = seconds(video);
    return {
      id: video.id,
      secondsAssumed: reported === null,
      seconds: reported ?? (request.seconds ? Number(request.seconds) : (source?.seconds ?? null)),
      size: filledTextOf(video.size) ?? request.size ?? source?.size ?? null,
    };
  };
  return {
    prepare: (call) => ({
      dropped: [],
      start: async (signal) => {
        const sent = body(call);
        return started(await http.json(at('/videos', call.model), { method: 'POST', ...sent, signal }), call, null);
      },
    }),
    remix: (job, call): PreparedVideo => ({
      dropped: [],
      start: async (signal) => {
        const json = { prompt: call.request.prompt };
        return started(await http.json(one(job, '/remix'), { method: 'POST', json, signal }), call, job);
      },
    }),
    poll: async (job, signal) => progressOf(members(http, await http.json(one(job), { signal }))),
    content: (job, variant, part, signal) => {
      const url = one(job, '/content');
      return http.content(`${url}${url.includes('?') ? '&' : '?'}variant=${variant}`, part, signal);
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

/** A form if there is a file, otherwise JSON. */
function body({ model, request }: VideoCall): { form: FormField[] } | { json: object } {
  const { prompt, seconds: length, size, input_reference: reference } = request;
  const fields = { model, prompt, ...(length && { seconds: length }), ...(size && { size }) };
  if (!reference) return { json: fields };
  if ('image_url' in reference || 'file_id' in reference) return { json: { ...fields, input_reference: reference } };
  return { form: [...Object.entries(fields), ['input_reference', reference]] };
}

function progressOf(video: JsonObject): VideoProgress {
  const { status, progress, error, expires_at: expires } = video;
  if (status === 'failed') {
    const reported = membersOf(error);
    return {
      status,
      code: filledTextOf(reported.code) ?? 'video_generation_failed',
      message: filledTextOf(reported.message) ?? 'The provider could not make this video.',
    };
  }
  if (status === 'completed')
    return {
      status,
      seconds: seconds(video),
      size: filledTextOf(video.size),
      expiresAt: typeof expires === 'number' ? expires * 1_000 : null,
    };
  return {
    status: status === 'queued' ? 'queued' : 'in_progress',
    progress: typeof progress === 'number' ? progress : null,
  };
}

/** A number, or a number as text. */
function seconds({ seconds: reported }: JsonObject): number | null {
  const length = typeof reported === 'string' && reported !== '' ? Number(reported) : reported;
  return typeof length === 'number' && Number.isFinite(length) && length > 0 ? length : null;
}

function members(http: JobHttp, answer: unknown): JsonObject {
  if (!isObject(answer)) throw http.invalid('no video');
  return answer;
}
