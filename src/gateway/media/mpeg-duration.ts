import { AudioFault } from './audio-fault.ts';
import { FRAME_HEADER_BYTES, readFrameHeader } from './audio-meter/frame-header.ts';
import type { FileWindow } from './file-window.ts';

/** Bytes searched for the mark of a header frame. */
const DESCRIPTION_BYTES = 64;
/** The first frame must start within this many bytes. */
const SEARCHED_BYTES = 64 * 1024;

/**
 * Duration of an MP3 or AAC (ADTS) stream in seconds: frames are counted, since headers can be forged. Null for other
 * data.
 * @param begin offset after the tags
 * @throws AudioFault
 */
export async function mpegDuration(file: FileWindow, begin: number): Promise<number | null> {
  let hasFrame = false;
  let seconds = 0;
  let position = begin;
  while (position + FRAME_HEADER_BYTES <= file.size) {
    if (!file.holds(position, DESCRIPTION_BYTES)) await file.move(position);
    const bytes = file.from(position);
    const frame = readFrameHeader(bytes);
    const describes = !hasFrame && isHeaderFrame(bytes);
    // Concatenated streams may change the frame type. Frames of the free format contain no length.
    if (frame?.bytes != null && (await isFollowed(file, position, frame.bytes, frame.kind))) {
      hasFrame = true;
      if (!describes) seconds += frame.seconds;
      position += frame.bytes;
      continue;
    }
    if (!hasFrame && position - begin > SEARCHED_BYTES) return null;
    position += Math.max(1, nextSync(file.from(position)));
  }
  if (!hasFrame) return null;
  if (seconds === 0) throw new AudioFault('it ends before its audio data');
  return seconds;
}

/** A frame is valid if the next one, or the end of the file, follows it. */
async function isFollowed(file: FileWindow, position: number, length: number, kind: number): Promise<boolean> {
  const next = position + length;
  // The last frame may be truncated.
  if (next + FRAME_HEADER_BYTES > file.size) return next <= file.size;
  if (!file.holds(next, FRAME_HEADER_BYTES)) {
    // The window then contains both.
    await file.move(position);
  }
  const header = file.from(next);
  // A tag may follow.
  return readFrameHeader(header)?.kind === kind || /^(TAG|APE|LYR|ID3|3DI)/.test(header.toString('latin1', 0, 3));
}

/** The next offset where a frame may start. */
function nextSync(bytes: Buffer): number {
  const at = bytes.indexOf(0xff, 1);
  return at < 0 ? bytes.length : at;
}

/** Whether the first frame contains no audio but a description of the stream. */
function isHeaderFrame(frame: Buffer): boolean {
  return /Xing|Info|VBRI/.test(frame.toString('latin1', 0, DESCRIPTION_BYTES));
}
