import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { SluiceError } from '../../../errors/index.ts';
import type { PreparedVideo, VideoCall, VideoJob, VideoService } from '../../shared/jobs/video-jobs.ts';
import { yieldPeriodically } from '../../shared/jobs/yield-periodically.ts';
import { requireModel } from '../models.ts';
import { encodePicture, pictureParameters, sequenceParameters, type TiledPicture } from './h264.ts';
import { mp4File } from './mp4.ts';
import { picturesOf } from './pictures.ts';
import { pngCropped, pngOf } from './png.ts';

export const SANDBOX_VIDEO_MODEL = 'video';

const DEFAULT_SECONDS = 4;
const DEFAULT_SIZE = '720x1280';
const FRAMES_PER_SECOND = 24;
const MAX_PIXELS = 4096 * 2304;
/** The number of polls after which it is complete. */
const POLLS_UNTIL_COMPLETED = 4;
const POLL_INTERVAL_MS = 250;
const SHEET = { across: 4, tile: 4 };

/**
 * Videos of the sandbox: a moving square on colours that depend on the prompt. A video depends only on the description of
 * its job, so that every process can generate it; it is complete after a few polls.
 */
export const sandboxVideo: VideoService = {
  prepare: (call) => prepare(call, null),
  remix: (job, call) => prepare(call, job),
  poll: ({ state, seconds, size }) => {
    const polls = Number(state.looks ?? 0) + 1;
    if (polls >= POLLS_UNTIL_COMPLETED)
      return Promise.resolve({ status: 'completed', seconds, size, state: { looks: String(polls) } });
    return Promise.resolve({
      status: 'in_progress',
      progress: Math.round((polls / POLLS_UNTIL_COMPLETED) * 100),
      state: { looks: String(polls) },
      pollAfterMs: POLL_INTERVAL_MS,
    });
  },
  content: async (job, variant) => {
    const bytes = await contents[variant](job);
    return {
      status: 200,
      headers: {
        'content-type': variant === 'video' ? 'video/mp4' : 'image/png',
        'content-length': String(bytes.length),
        etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`,
      },
      body: Readable.from([bytes], { objectMode: false }),
    };
  },
  remove: () => Promise.resolve(),
};

/** @throws SluiceError model_not_found | unsupported_value */
function prepare({ model, request, requestId }: VideoCall, source: VideoJob | null): PreparedVideo {
  requireModel(model, SANDBOX_VIDEO_MODEL);
  const seconds = request.seconds ? Number(request.seconds) : (source?.seconds ?? DEFAULT_SECONDS);
  const size = request.size ?? source?.size ?? DEFAULT_SIZE;
  const { width, height } = dimensions(size);
  if (width % 2 !== 0 || height % 2 !== 0 || width < 16 || height < 16 || width * height > MAX_PIXELS)
    throw new SluiceError('unsupported_value', {
      param: 'size',
      values: { reason: 'must consist of even numbers of at least 16, and be at most 4096x2304 pixels.' },
    });
  const id = createHash('sha256').update(requestId).digest('hex').slice(0, 24);
  return { dropped: [], start: () => Promise.resolve({ id, seconds, size, pollAfterMs: POLL_INTERVAL_MS }) };
}

const contents = {
  video: async (job: VideoJob): Promise<Buffer> => {
    const { width, height, frames, pictureOf } = animationOf(job);
    const turn = yieldPeriodically();
    const encoded: Buffer[] = [];
    for (let frame = 0, before: TiledPicture | null = null; frame < frames; frame++) {
      await turn();
      const picture = pictureOf(frame);
      encoded.push(encodePicture(picture, before, frame));
      before = picture;
    }
    return mp4File({
      width,
      height,
      framesPerSecond: FRAMES_PER_SECOND,
      sequenceParameters: sequenceParameters(width, height),
      pictureParameters: pictureParameters(),
      frames: encoded,
    });
  },
  thumbnail: (job: VideoJob): Promise<Buffer> => {
    const { width, height, pictureOf } = animationOf(job);
    return pngCropped(pictureOf(0), width, height);
  },
  /** A picture for each second. */
  spritesheet: async (job: VideoJob): Promise<Buffer> => {
    const { frames, pictureOf } = animationOf(job);
    const turn = yieldPeriodically();
    const each: TiledPicture[] = [];
    for (let frame = 0; frame < frames; frame += FRAMES_PER_SECOND) {
      await turn();
      each.push(pictureOf(frame));
    }
    return pngOf(each, Math.min(SHEET.across, each.length), SHEET.tile);
  },
};

interface Animation {
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly pictureOf: (frame: number) => TiledPicture;
}

function animationOf({ prompt, seconds, size }: VideoJob): Animation {
  const { width, height } = dimensions(size ?? DEFAULT_SIZE);
  const frames = (seconds ?? DEFAULT_SECONDS) * FRAMES_PER_SECOND;
  return { width, height, frames, pictureOf: picturesOf(prompt, width, height, frames) };
}

function dimensions(size: string): { width: number; height: number } {
  const [width = 0, height = 0] = size.split('x').map(Number);
  return { width, height };
}
