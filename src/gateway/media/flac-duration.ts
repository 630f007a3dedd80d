import { AudioFault } from './audio-fault.ts';
import { MAX_FLAC_HEADER_BYTES, readFlacHeader, type FlacHeader } from './audio-meter/flac-header.ts';
import type { FileWindow } from './file-window.ts';

const MARK_BYTES = 4;
const STREAM_INFO_BYTES = 42;
const BLOCK_HEADER = 4;
/** Number of previous frames that a frame may follow. */
const MAX_SEEN_FRAMES = 1_000;
/** Incompressible audio is no larger than its samples and the frame overhead. */
const MAX_GROWTH = 1.1;

/**
 * Duration of a FLAC file in seconds, by counting its frames: its header may be forged or incomplete, and so may its
 * end. At least as long as its bytes imply. Source: RFC 9639, sections 8 and 9.
 * @param begin offset of the `fLaC` mark
 * @throws AudioFault
 */
export async function flacDuration(file: FileWindow, begin: number): Promise<number> {
  const info = Buffer.from(await file.at(begin, STREAM_INFO_BYTES));
  if (info.length < STREAM_INFO_BYTES) throw new AudioFault('it ends within its header');
  const rate = info.readUIntBE(18, 3) >> 4;
  const declaredSamples = ((info[21] ?? 0) & 15) * 2 ** 32 + info.readUInt32BE(22);
  if (rate === 0) throw new AudioFault('its header has no sample rate');
  const channels = (((info[20] ?? 0) >> 1) & 7) + 1;
  const bits = (((info[20] ?? 0) & 1) << 4) + ((info[21] ?? 0) >> 4) + 1;
  const audioStart = await skipBlocks(file, begin + MARK_BYTES);
  const frames = new ConfirmedFrames(rate);
  for (let at = audioStart; at < file.size;) {
    if (!file.holds(at, MAX_FLAC_HEADER_BYTES)) await file.move(at);
    const bytes = file.from(at);
    if (bytes[0] === 0xff) {
      const header = readFlacHeader(bytes.subarray(0, MAX_FLAC_HEADER_BYTES));
      if (header !== null && header !== 'cut') frames.add(header);
    }
    const next = bytes.indexOf(0xff, 1);
    at += next < 0 ? bytes.length : next;
  }
  const seconds = frames.seconds ?? declaredSamples / rate;
  if (seconds === 0) throw new AudioFault('it ends before its audio data');
  return Math.max(seconds, (Math.max(0, file.size - audioStart) * 8) / (rate * channels * bits * MAX_GROWTH));
}

async function skipBlocks(file: FileWindow, begin: number): Promise<number> {
  for (let at = begin; ;) {
    const head = await file.at(at, BLOCK_HEADER);
    if (head.length < BLOCK_HEADER) return file.size;
    at += BLOCK_HEADER + head.readUIntBE(1, 3);
    if (((head[0] ?? 0) & 0x80) !== 0) return at;
  }
}

interface SeenFrame {
  readonly seconds: number;
  isCounted: boolean;
}

/** Audio data may look like a header; two consecutive ones are no coincidence, whatever is between them. */
class ConfirmedFrames {
  readonly #rate: number;
  /** By the expected next number. */
  readonly #seen = new Map<number, SeenFrame>();
  #sum = 0;
  #last: number | null = null;

  constructor(rate: number) {
    this.#rate = rate;
  }

  /** Null where no frame was found. */
  get seconds(): number | null {
    return this.#sum > 0 ? this.#sum : this.#last;
  }

  add({ number, countsSamples, samples, rate }: FlacHeader): void {
    const frame: SeenFrame = { seconds: samples / (rate || this.#rate), isCounted: false };
    const before = this.#seen.get(key(number, countsSamples));
    if (before !== undefined) this.#count(before, frame);
    this.#last = frame.seconds;
    const following = key(number + (countsSamples ? samples : 1), countsSamples);
    // Reinserted, to be the newest entry.
    this.#seen.delete(following);
    this.#seen.set(following, frame);
    if (this.#seen.size <= MAX_SEEN_FRAMES) return;
    for (const [oldest] of this.#seen) {
      this.#seen.delete(oldest);
      return;
    }
  }

  #count(...frames: readonly SeenFrame[]): void {
    for (const frame of frames) {
      if (!frame.isCounted) this.#sum += frame.seconds;
      frame.isCounted = true;
    }
  }
}

/** Keeps frame numbers and sample numbers apart. */
function key(number: number, countsSamples: boolean): number {
  return number * 2 + (countsSamples ? 1 : 0);
}
