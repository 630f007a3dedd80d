import { SluiceError } from '../../errors/index.ts';
import { AudioFault } from './audio-fault.ts';
import { FileWindow } from './file-window.ts';
import { flacDuration } from './flac-duration.ts';
import { skipTags } from './id3-tags.ts';
import { mp4Duration } from './mp4-duration.ts';
import { mpegDuration } from './mpeg-duration.ts';
import { oggDuration } from './ogg-duration.ts';
import { wavDuration } from './wav-duration.ts';
import { webmDuration } from './webm-duration.ts';

/** A file's tags may be as large as itself, and are read whole: not too many at once. */
const MAX_CONCURRENT = 4;
/** A hundred days: what says to be longer is no recording. */
const MAX_SECONDS = 8_640_000;

let atWork = 0;
const waiting: (() => void)[] = [];

/**
 * Seconds of sound in a file, read from the sound itself where a header could say anything. Memory is bounded, and a long file
 * is read in steps that let others go on.
 * @throws SluiceError invalid_audio
 */
export async function audioDuration(path: string, param = 'file'): Promise<number> {
  if (atWork >= MAX_CONCURRENT) await new Promise<void>((free) => waiting.push(free));
  else atWork++;
  try {
    const seconds = await measure(path);
    if (Number.isFinite(seconds) && seconds > 0 && seconds <= MAX_SECONDS) return seconds;
    throw new AudioFault('no sound is in it');
  } catch (error) {
    // The disk's fault, not the file's.
    if (error instanceof Error && 'syscall' in error) throw error;
    throw new SluiceError('invalid_audio', { param, values: { reason: reasonOf(error) }, cause: error });
  } finally {
    const next = waiting.shift();
    if (next === undefined) atWork--;
    else next();
  }
}

async function measure(path: string): Promise<number> {
  const file = await FileWindow.open(path);
  try {
    if (file.size === 0) throw new AudioFault('it is empty');
    // Players pass tags over, before whatever they stand.
    const begin = await skipTags(file);
    const head = Buffer.from(await file.at(begin, 12)).toString('latin1');
    if (/^(RIFF|RF64)[^]{4}WAVE/.test(head)) return await wavDuration(file, begin);
    if (head.startsWith('fLaC')) return await flacDuration(file, begin);
    if (head.startsWith('\x1a\x45\xdf\xa3')) return await webmDuration(file, begin);
    if (/^[^]{4}(ftyp|styp|moov|moof|mdat|free|skip|wide|pnot)/.test(head)) return await mp4Duration(file, begin);
    // A text, a picture: nothing of it looks like frames.
    const found = await (head.startsWith('OggS') ? oggDuration(file, begin) : mpegDuration(file, begin));
    if (found !== null) return found;
  } finally {
    await file.close();
  }
  // Megabytes of code that a server without recordings does not need.
  const { parseFile } = await import('music-metadata');
  const { format } = await parseFile(path, { duration: true, skipCovers: true });
  if (format.hasAudio === false) throw new AudioFault('no track of sound is in it');
  return format.duration ?? 0;
}

function reasonOf(error: unknown): string {
  return error instanceof AudioFault ? error.message : 'it is of no kind that is known, or it is damaged';
}
