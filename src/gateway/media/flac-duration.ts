import { AudioFault } from './audio-fault.ts';
import { MAX_FLAC_HEADER_BYTES, readFlacHeader, type FlacHeader } from './audio-meter/flac-header.ts';
import type { FileWindow } from './file-window.ts';

const MARK_BYTES = 4;
const STREAM_INFO_BYTES = 42;
const BLOCK_HEADER = 4;
/** So many frames back one is looked for that another follows. */
const REMEMBERED = 1_000;
/** Sound that cannot be packed takes no more than its samples, and a little for the frames around them. */
const MAX_GROWTH = 1.1;

/**
 * Seconds of a FLAC file, by all of its frames: what its header says is anyone's text, or missing; and so is what stands at its
 * end. No fewer than its bytes can hold. Source: RFC 9639, sections 8 and 9.
 * @param begin where its mark is
 * @throws AudioFault
 */
export async function flacDuration(file: FileWindow, begin: number): Promise<number> {
  const info = Buffer.from(await file.at(begin, STREAM_INFO_BYTES));
  if (info.length < STREAM_INFO_BYTES) throw new AudioFault('it ends within its header');
  const rate = info.readUIntBE(18, 3) >> 4;
  const told = ((info[21] ?? 0) & 15) * 2 ** 32 + info.readUInt32BE(22);
  if (rate === 0) throw new AudioFault('its header does not say how it is sampled');
  const channels = (((info[20] ?? 0) >> 1) & 7) + 1;
  const bits = (((info[20] ?? 0) & 1) << 4) + ((info[21] ?? 0) >> 4) + 1;
  const sound = await behindBlocks(file, begin + MARK_BYTES);
  const frames = new FollowedFrames(rate);
  for (let at = sound; at < file.size;) {
    if (!file.holds(at, MAX_FLAC_HEADER_BYTES)) await file.move(at);
    const bytes = file.from(at);
    if (bytes[0] === 0xff) {
      const header = readFlacHeader(bytes.subarray(0, MAX_FLAC_HEADER_BYTES));
      if (header !== null && header !== 'cut') frames.take(header);
    }
    const next = bytes.indexOf(0xff, 1);
    at += next < 0 ? bytes.length : next;
  }
  const seconds = frames.seconds ?? told / rate;
  if (seconds === 0) throw new AudioFault('it ends before its sound');
  return Math.max(seconds, (Math.max(0, file.size - sound) * 8) / (rate * channels * bits * MAX_GROWTH));
}

async function behindBlocks(file: FileWindow, begin: number): Promise<number> {
  for (let at = begin; ;) {
    const head = await file.at(at, BLOCK_HEADER);
    if (head.length < BLOCK_HEADER) return file.size;
    at += BLOCK_HEADER + head.readUIntBE(1, 3);
    if (((head[0] ?? 0) & 0x80) !== 0) return at;
  }
}

interface Met {
  readonly seconds: number;
  isCounted: boolean;
}

/** Sound may look like a header: two that follow each other are none by chance. What stands between them does not matter. */
class FollowedFrames {
  readonly #rate: number;
  /** By the number that follows. */
  readonly #met = new Map<number, Met>();
  #sum = 0;
  #last: number | null = null;

  constructor(rate: number) {
    this.#rate = rate;
  }

  /** Null where no frame was met. */
  get seconds(): number | null {
    return this.#sum > 0 ? this.#sum : this.#last;
  }

  take({ number, countsSamples, samples, rate }: FlacHeader): void {
    const met: Met = { seconds: samples / (rate || this.#rate), isCounted: false };
    const before = this.#met.get(key(number, countsSamples));
    if (before !== undefined) this.#count(before, met);
    this.#last = met.seconds;
    const following = key(number + (countsSamples ? samples : 1), countsSamples);
    // Last of those that are remembered.
    this.#met.delete(following);
    this.#met.set(following, met);
    if (this.#met.size <= REMEMBERED) return;
    for (const [oldest] of this.#met) {
      this.#met.delete(oldest);
      return;
    }
  }

  #count(...frames: readonly Met[]): void {
    for (const frame of frames) {
      if (!frame.isCounted) this.#sum += frame.seconds;
      frame.isCounted = true;
    }
  }
}

/** Numbers of frames and of samples are told apart. */
function key(number: number, countsSamples: boolean): number {
  return number * 2 + (countsSamples ? 1 : 0);
}
