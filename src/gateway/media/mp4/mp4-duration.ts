import { AudioFault } from '../audio-fault.ts';
import type { FileWindow } from '../file-window.ts';
import { MAX_READ_BYTES, Mp4Boxes, word, type Box } from './mp4-boxes.ts';
import { readPackedSound, type PackedSound } from './mp4-sound.ts';

/** The boxes that are read, by parent; all others are skipped. */
const childBoxes: Readonly<Record<string, readonly string[]>> = {
  '': ['moov', 'moof'],
  moov: ['trak', 'mvex'],
  trak: ['mdia'],
  mdia: ['minf'],
  minf: ['stbl'],
  moof: ['traf'],
};
/** A file with more is no recording. */
const MAX_TRACKS = 100;
/** Silent samples at the start and end, which correct tables omit. */
const SILENT_PIECES = 3;
/** 32 kbit/s. Where samples are larger than possible, the tables are forged, and the duration assumes speech. */
const SPEECH_BYTES_PER_SECOND = 4_000;
const [BASE, DESCRIPTION, DURATION, SIZE] = [0x1, 0x2, 0x8, 0x10];
const [OFFSET, FIRST_FLAGS, DURATIONS, SIZES, FLAGS, COMPOSITIONS] = [0x1, 0x4, 0x100, 0x200, 0x400, 0x800];

interface Track {
  id: number;
  isSound: boolean;
  /** Ticks per second. */
  timescale: number;
  declaredTicks: number;
  /** Totals over its samples, by the tables and the fragments. */
  ticks: number;
  pieces: number;
  bytes: number;
  sound: PackedSound | null;
}

/** Defaults of a fragment's samples. */
interface FragmentDefaults {
  track: Track;
  duration: number;
  size: number;
}

/**
 * Duration of the audio in an MP4, M4A or QuickTime file: the longest that any of its tables implies, since each can be
 * rewritten while players ignore it. AAC and ALAC samples have a fixed duration and a maximum size. Source: ISO/IEC
 * 14496-12, 8.4.2, 8.6.1, 8.7.3 and 8.8.
 * @throws AudioFault
 */
export async function mp4Duration(file: FileWindow, begin: number): Promise<number> {
  const tables = new Tables(file);
  await tables.read({ name: '', begin, end: file.size });
  const tracks = tables.tracks.filter(({ isSound }) => isSound);
  if (tracks.length === 0) throw new AudioFault('it contains no audio track');
  return Math.max(...tracks.map(secondsOf));
}

function secondsOf({ timescale, declaredTicks, ticks, pieces, bytes, sound }: Track): number {
  const counted = Math.max(0, pieces - SILENT_PIECES) * (sound?.pieceSeconds ?? 0);
  const seconds = Math.max(counted, timescale > 0 ? Math.max(declaredTicks, ticks) / timescale : 0);
  return sound !== null && bytes > seconds * sound.maxBytesPerSecond ? bytes / SPEECH_BYTES_PER_SECOND : seconds;
}

class Tables {
  readonly tracks: Track[] = [];
  readonly #boxes: Mp4Boxes;
  /** Fragment defaults by track id. */
  readonly #trackDefaults = new Map<number, { duration: number; size: number }>();
  #track = newTrack();
  #fragment: FragmentDefaults | null = null;

  constructor(file: FileWindow) {
    this.#boxes = new Mp4Boxes(file);
  }

  read(parent: Box): Promise<void> {
    return this.#boxes.visit(parent, (box) => this.#box(box, parent.name));
  }

  async #box(box: Box, parent: string): Promise<void> {
    if (childBoxes[parent]?.includes(box.name) === true) {
      if (box.name === 'trak') this.tracks.push((this.#track = newTrack()));
      if (this.tracks.length > MAX_TRACKS) throw new AudioFault('it has too many tracks');
      if (box.name === 'traf') this.#fragment = null;
      return this.read(box);
    }
    switch (`${parent}/${box.name}`) {
      case 'trak/tkhd': {
        const head = await this.#boxes.bytes(box, 24);
        this.#track.id = word(head, head[0] === 1 ? 20 : 12);
        return;
      }
      case 'mdia/hdlr':
        this.#track.isSound ||= (await this.#boxes.bytes(box, 12)).toString('latin1', 8, 12) === 'soun';
        return;
      case 'mdia/mdhd':
        return this.#mediaHeader(await this.#boxes.bytes(box, 36));
      case 'stbl/stsd':
        this.#track.sound = readPackedSound(await this.#boxes.bytes(box, MAX_READ_BYTES));
        return;
      case 'stbl/stts':
        return this.#boxes.rows(box, 8, word(await this.#boxes.bytes(box, 8), 4), 8, (rows, at) => {
          this.#track.ticks += word(rows, at) * word(rows, at + 4);
        });
      case 'stbl/stsz':
        return this.#sizes(box);
      case 'mvex/trex': {
        const head = await this.#boxes.bytes(box, 24);
        if (this.#trackDefaults.size < MAX_TRACKS)
          this.#trackDefaults.set(word(head, 4), { duration: word(head, 12), size: word(head, 16) });
        return;
      }
      case 'traf/tfhd':
        return this.#fragmentHeader(await this.#boxes.bytes(box, 40));
      case 'traf/trun':
        return this.#run(box);
    }
  }

  #mediaHeader(head: Buffer): void {
    const isLong = head[0] === 1;
    const declared = isLong ? word(head, 24) * 2 ** 32 + word(head, 28) : word(head, 16);
    this.#track.timescale = word(head, isLong ? 20 : 12);
    // All bits are set where it is not known.
    if (declared < (isLong ? 2 ** 63 : 2 ** 32 - 1)) this.#track.declaredTicks = declared;
  }

  async #sizes(box: Box): Promise<void> {
    const head = await this.#boxes.bytes(box, 12);
    const [size, count] = [word(head, 4), word(head, 8)];
    this.#track.pieces += count;
    this.#track.bytes += size * count;
    if (size > 0) return;
    await this.#boxes.rows(box, 12, count, 4, (rows, at) => {
      this.#track.bytes += word(rows, at);
    });
  }

  #fragmentHeader(head: Buffer): void {
    const flags = word(head, 0);
    const track = this.tracks.find(({ id }) => id === word(head, 4));
    if (track === undefined) return;
    const usual = this.#trackDefaults.get(track.id) ?? { duration: 0, size: 0 };
    const durationAt = 8 + (flags & BASE ? 8 : 0) + (flags & DESCRIPTION ? 4 : 0);
    const sizeAt = durationAt + (flags & DURATION ? 4 : 0);
    this.#fragment = {
      track,
      duration: flags & DURATION ? word(head, durationAt) : usual.duration,
      size: flags & SIZE ? word(head, sizeAt) : usual.size,
    };
  }

  async #run(box: Box): Promise<void> {
    const head = await this.#boxes.bytes(box, 8);
    const [flags, count] = [word(head, 0), word(head, 4)];
    const fragment = this.#fragment;
    if (fragment === null) return;
    const { track, duration, size } = fragment;
    const rowsAt = 8 + (flags & OFFSET ? 4 : 0) + (flags & FIRST_FLAGS ? 4 : 0);
    const own = [DURATIONS, SIZES, FLAGS, COMPOSITIONS].filter((flag) => (flags & flag) !== 0);
    track.pieces += count;
    if (!own.includes(DURATIONS)) track.ticks += count * duration;
    if (!own.includes(SIZES)) track.bytes += count * size;
    await this.#boxes.rows(box, rowsAt, count, own.length * 4, (rows, at) => {
      if (own.includes(DURATIONS)) track.ticks += word(rows, at);
      if (own.includes(SIZES)) track.bytes += word(rows, at + own.indexOf(SIZES) * 4);
    });
  }
}

function newTrack(): Track {
  return { id: 0, isSound: false, timescale: 0, declaredTicks: 0, ticks: 0, pieces: 0, bytes: 0, sound: null };
}
