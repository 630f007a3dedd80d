import { AudioFault } from './audio-fault.ts';
import { FRAME_HEADER_BYTES, readFrameHeader } from './audio-meter/frame-header.ts';
import type { FileWindow } from './file-window.ts';

/** Room for the mark of a frame that only describes the others. */
const DESCRIPTION_BYTES = 64;
/** How far in the first frame may begin. */
const SEARCHED_BYTES = 64 * 1024;

/**
 * Seconds of a stream of MP3 or AAC (ADTS) frames: each is counted, since what a header says of their number is anyone's text.
 * Null where it is no such stream.
 * @param begin behind its tags
 * @throws AudioFault
 */
export async function mpegDuration(file: FileWindow, begin: number): Promise<number | null> {
  let met = false;
  let seconds = 0;
  let position = begin;
  while (position + FRAME_HEADER_BYTES <= file.size) {
    if (!file.holds(position, DESCRIPTION_BYTES)) await file.move(position);
    const bytes = file.from(position);
    const frame = readFrameHeader(bytes);
    const describes = !met && describesOthers(bytes);
    // Streams that were joined may go on in frames of another kind. Those of free format have no length of their own.
    if (frame?.bytes != null && (await isFollowed(file, position, frame.bytes, frame.kind))) {
      met = true;
      if (!describes) seconds += frame.seconds;
      position += frame.bytes;
      continue;
    }
    if (!met && position - begin > SEARCHED_BYTES) return null;
    position += Math.max(1, nextSync(file.from(position)));
  }
  if (!met) return null;
  if (seconds === 0) throw new AudioFault('it ends before its sound');
  return seconds;
}

/** A frame is one where the next begins, or the file ends, behind it. */
async function isFollowed(file: FileWindow, position: number, length: number, kind: number): Promise<boolean> {
  const next = position + length;
  // The last one may be cut.
  if (next + FRAME_HEADER_BYTES > file.size) return next <= file.size;
  if (!file.holds(next, FRAME_HEADER_BYTES)) {
    // Both are held then.
    await file.move(position);
  }
  const header = file.from(next);
  // A tag may follow.
  return readFrameHeader(header)?.kind === kind || /^(TAG|APE|LYR|ID3|3DI)/.test(header.toString('latin1', 0, 3));
}

/** To where the next frame may begin. */
function nextSync(bytes: Buffer): number {
  const at = bytes.indexOf(0xff, 1);
  return at < 0 ? bytes.length : at;
}

/** Whether the first frame holds no sound but the number of the others. */
function describesOthers(frame: Buffer): boolean {
  return /Xing|Info|VBRI/.test(frame.toString('latin1', 0, DESCRIPTION_BYTES));
}
