import { AudioFault } from './audio-fault.ts';
import type { FileWindow } from './file-window.ts';

const SEGMENT = 0x18538067;
const INFO = 0x1549a966;
const TIMESTAMP_SCALE = 0x2ad7b1;
const TRACKS = 0x1654ae6b;
const TRACK_ENTRY = 0xae;
const TRACK_NUMBER = 0xd7;
const TRACK_TYPE = 0x83;
const CLUSTER = 0x1f43b675;
const TIMESTAMP = 0xe7;
const SIMPLE_BLOCK = 0xa3;
const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;
const BLOCK_DURATION = 0x9b;

/** Elements that are entered, not skipped: a cluster's size may be unknown, and their members have distinct ids. */
const containers = new Set([SEGMENT, INFO, TRACKS, TRACK_ENTRY, CLUSTER, BLOCK_GROUP]);

const AUDIO = 2;
/** An element's id and size have up to 12 bytes; 8 of its content are read. */
const HEAD_BYTES = 20;

/**
 * Duration of the audio in a WebM or Matroska file in seconds, by the times of its blocks: live recorders write no
 * duration. Source: RFC 8794 (EBML), RFC 9559 (Matroska).
 * @throws AudioFault
 */
export async function webmDuration(file: FileWindow, begin: number): Promise<number> {
  const times = new BlockTimes();
  for (let position = begin; position < file.size;) {
    if (!file.holds(position, HEAD_BYTES)) await file.move(position);
    const bytes = file.from(position);
    const id = readId(bytes);
    const size = id === null ? null : readSize(bytes, id.width);
    if (id === null || size === null) break;
    const head = id.width + size.width;
    if (containers.has(id.value)) {
      times.begin(id.value);
      position += head;
      continue;
    }
    // Only containers may have an unknown size.
    if (size.value === null) break;
    times.add(id.value, bytes.subarray(head), size.value);
    position += head + size.value;
  }
  return times.seconds();
}

class BlockTimes {
  readonly #audio = new Set<number>();
  #scaleNs = 1_000_000;
  #track = 0;
  #cluster = 0;
  #first: number | null = null;
  #last = 0;
  /** Time between the last two blocks; also the duration of the last one, unless that is given. */
  #step = 0;

  begin(id: number): void {
    if (id === TRACK_ENTRY) this.#track = 0;
  }

  add(id: number, content: Buffer, size: number): void {
    if (id === TIMESTAMP_SCALE) this.#scaleNs = Math.max(1, readUint(content, size));
    else if (id === TRACK_NUMBER) this.#track = readUint(content, size);
    else if (id === TRACK_TYPE && readUint(content, size) === AUDIO) this.#audio.add(this.#track);
    else if (id === TIMESTAMP) this.#cluster = readUint(content, size);
    else if (id === SIMPLE_BLOCK || id === BLOCK) this.#block(content);
    else if (id === BLOCK_DURATION && this.#first !== null) this.#step = readUint(content, size);
  }

  /** @throws AudioFault */
  seconds(): number {
    if (this.#audio.size === 0) throw new AudioFault('it contains no audio track');
    if (this.#first === null) throw new AudioFault('it ends before its audio data');
    return ((this.#last + this.#step - this.#first) * this.#scaleNs) / 1e9;
  }

  #block(content: Buffer): void {
    const track = readSize(content, 0);
    if (track?.value == null || !this.#audio.has(track.value) || content.length < track.width + 2) return;
    const time = this.#cluster + content.readInt16BE(track.width);
    if (this.#first === null) this.#first = time;
    else if (time > this.#last) this.#step = time - this.#last;
    this.#last = Math.max(this.#last, time);
  }
}

interface Read<Value> {
  readonly value: Value;
  /** Bytes. */
  readonly width: number;
}

/** With its marker bits, as element ids are written. */
function readId(bytes: Buffer): Read<number> | null {
  const width = Math.clz32(bytes[0] ?? 0) - 23;
  if (width > 4 || bytes.length < width) return null;
  return { value: bytes.readUIntBE(0, width), width };
}

/** Null for an unknown size. */
function readSize(bytes: Buffer, at: number): Read<number | null> | null {
  const first = bytes[at] ?? 0;
  const width = Math.clz32(first) - 23;
  if (width > 8 || bytes.length < at + width) return null;
  let value = first & (0xff >> width);
  let unknown = value === 0xff >> width;
  for (let next = at + 1; next < at + width; next++) {
    const byte = bytes[next] ?? 0;
    value = value * 256 + byte;
    unknown &&= byte === 0xff;
  }
  return { value: unknown ? null : value, width };
}

function readUint(content: Buffer, size: number): number {
  const width = Math.min(size, content.length, 6);
  // Times and tracks have at most 8 bytes.
  return width === 0 || size > 8 ? 0 : content.readUIntBE(size > width ? size - width : 0, width);
}
