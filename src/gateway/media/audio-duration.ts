import { SluiceError } from '../../errors/index.ts';
import { AudioFault } from './audio-fault.ts';
import { FileWindow } from './file-window.ts';
import { flacDuration } from './flac-duration.ts';
import { skipTags } from './id3-tags.ts';
import { mp4Duration } from './mp4/mp4-duration.ts';
import { mpegDuration } from './mpeg-duration.ts';
import { oggDuration } from './ogg-duration.ts';
import { wavDuration } from './wav-duration.ts';
import { webmDuration } from './webm-duration.ts';

/** A file's tags may be as large as the file and are read completely: not too many at once. */
const MAX_CONCURRENT = 4;
/** A hundred days: a longer value is no recording. */
const MAX_SECONDS = 8_640_000;

let running = 0;
const waiting: (() => void)[] = [];

/**
 * Duration of a file in seconds, measured from the audio itself, since headers can be forged. Memory is bounded, and a
 * long file is read in steps that yield to other work.
 * @throws SluiceError invalid_audio
 */
export async function audioDuration(path: string, param = 'file'): Promise<number> {
  if (running >= MAX_CONCURRENT) await new Promise<void>((free) => waiting.push(free));
  else running++;
  try {
    const seconds = await measure(path);
    if (Number.isFinite(seconds) && seconds > 0 && seconds <= MAX_SECONDS) return seconds;
    throw new AudioFault('it contains no audio');
  } catch (error) {
    // An error of the disk, not of the file.
    if (error instanceof Error && 'syscall' in error) throw error;
    throw new SluiceError('invalid_audio', { param, values: { reason: reasonOf(error) }, cause: error });
  } finally {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  }
}

async function measure(path: string): Promise<number> {
  const file = await FileWindow.open(path);
  try {
    if (file.size === 0) throw new AudioFault('it is empty');
    // Players skip tags, in front of any format.
    const begin = await skipTags(file);
    const head = Buffer.from(await file.at(begin, 12)).toString('latin1');
    if (/^(RIFF|RF64)[^]{4}WAVE/.test(head)) return await wavDuration(file, begin);
    if (head.startsWith('fLaC')) return await flacDuration(file, begin);
    if (head.startsWith('\x1a\x45\xdf\xa3')) return await webmDuration(file, begin);
    if (/^[^]{4}(ftyp|styp|moov|moof|mdat|free|skip|wide|pnot)/.test(head)) return await mp4Duration(file, begin);
    // Text or an image contains nothing like frames.
    const found = await (head.startsWith('OggS') ? oggDuration(file, begin) : mpegDuration(file, begin));
    if (found !== null) return found;
  } finally {
    await file.close();
  }
  // Loaded lazily: megabytes of code that most servers do not need.
  const { parseFile } = await import('music-metadata');
  const { format } = await parseFile(path, { duration: true, skipCovers: true });
  if (format.hasAudio === false) throw new AudioFault('it contains no audio track');
  return format.duration ?? 0;
}

function reasonOf(error: unknown): string {
  return error instanceof AudioFault ? error.message : 'its format is unknown, or it is damaged';
}
