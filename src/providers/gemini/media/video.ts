import { pathSegment } from '../../shared/http/path-segment.ts';
import { systemClock } from '../../../calendar/clock.ts';
import type { JobHttp } from '../../shared/jobs/job-http.ts';
import type { StartedVideo, VideoCall, VideoProgress, VideoService } from '../../shared/jobs/video-jobs.ts';
import type { VideoReference } from '../../shared/media/video-request.ts';
import { isInline, unsupportedVideoParameters, referenceUrl, shapeOf } from '../../shared/media/video-parameters.ts';
import { listOf, objectOf, textOf, type JsonObject } from '../../../protocols/canonical/json-members.ts';

/** Veo's defaults. Source: ai.google.dev/gemini-api/docs/video, "Veo API parameters". */
const DEFAULT_SECONDS = 8;
const DEFAULT_SIZE = '1280x720';
/** Source: the same page: videos are stored for two days. */
const RETENTION_MS = 2 * 86_400_000;

const resolutions: Readonly<Record<string, string>> = { '720p': '720p', '1080p': '1080p', '2160p': '4k' };
const aspectRatios: readonly string[] = ['16:9', '9:16'];
const FILE_PATH = /\/(files\/[\w-]+:download)(?:\?|$)/;
const DATA_URL = /^data:([^;,]+);base64,/i;

/**
 * Google's Veo: `models/{model}:predictLongRunning`, then the operation is polled until it is done. Source:
 * ai.google.dev/gemini-api/docs/video; ai.google.dev/api/all-methods, PredictLongRunning.
 */
export function veo(provider: string, http: JobHttp): VideoService {
  return {
    prepare: (call) => {
      const { size, input_reference: reference } = call.request;
      const dropped = unsupportedVideoParameters(provider, call, {
        size: !size || isShown(size),
        // Google does not fetch URLs.
        reference: !reference || isInline(reference),
      });
      return { dropped, start: (signal) => start(http, call, dropped, signal) };
    },
    poll: async (job, signal) => {
      const operation = objectOf(await http.json(http.url(`/${job.id}`), { signal }));
      if (operation === null) throw http.invalid('no operation');
      return progressOf(operation, http);
    },
    content: ({ state }, variant, part, signal) =>
      variant === 'video' && state.uri !== undefined
        ? http.content(downloadOf(state.uri, http), part, signal)
        : Promise.resolve(null),
  };
}

async function start(
  http: JobHttp,
  { model, request }: VideoCall,
  dropped: readonly string[],
  signal: AbortSignal,
): Promise<StartedVideo> {
  const size = request.size && !dropped.includes('size') ? request.size : null;
  const shape = size === null ? null : shapeOf(size);
  const reference = dropped.includes('input_reference') ? null : request.input_reference;
  const json = {
    instances: [{ prompt: request.prompt, ...(reference && { image: await image(reference) }) }],
    parameters: {
      ...(shape && { aspectRatio: shape.aspectRatio, resolution: resolutions[shape.resolution] }),
      ...(request.seconds && { durationSeconds: Number(request.seconds) }),
    },
  };
  const url = http.url(`/models/${pathSegment(model.replace(/^models\//, ''))}:predictLongRunning`);
  const name = textOf(objectOf(await http.json(url, { method: 'POST', json, signal }))?.name);
  if (name === null || !/^[\w./-]+$/.test(name) || name.includes('..')) throw http.invalid('no operation');
  return { id: name, seconds: request.seconds ? Number(request.seconds) : DEFAULT_SECONDS, size: size ?? DEFAULT_SIZE };
}

/** Input images are always bytes here. */
async function image(reference: VideoReference): Promise<object> {
  const url = (await referenceUrl(reference)) ?? '';
  const [prefix = '', mimeType = ''] = DATA_URL.exec(url) ?? [];
  return { bytesBase64Encoded: url.slice(prefix.length), mimeType };
}

function isShown(size: string): boolean {
  const { aspectRatio, resolution } = shapeOf(size);
  return aspectRatios.includes(aspectRatio) && Object.hasOwn(resolutions, resolution);
}

function progressOf(operation: JsonObject, http: JobHttp): VideoProgress {
  if (operation.done !== true) return { status: 'in_progress', progress: null };
  const error = objectOf(operation.error);
  if (error !== null)
    return {
      status: 'failed',
      code: 'video_generation_failed',
      message: textOf(error.message) ?? 'Google gave no reason.',
    };
  const answer = objectOf(objectOf(operation.response)?.generateVideoResponse);
  const [sample] = listOf(answer?.generatedSamples);
  const uri = textOf(objectOf(objectOf(sample)?.video)?.uri);
  if (uri !== null) return { status: 'completed', state: { uri }, expiresAt: systemClock.now() + RETENTION_MS };
  const [reason] = listOf(answer?.raiMediaFilteredReasons);
  if (typeof reason === 'string') return { status: 'failed', code: 'content_filtered', message: reason };
  throw http.invalid('an operation without a video');
}

/** A file of Google's is requested from the configured base URL: a proxy may be in front of Google. */
function downloadOf(uri: string, http: JobHttp): string {
  const file = FILE_PATH.exec(uri)?.[1];
  return file === undefined ? uri : http.url(`/${file}?alt=media`);
}
