import { AudioFault } from './audio-fault.ts';
import type { FileWindow } from './file-window.ts';
import { readWavFormat, WAV_FORMAT_BYTES } from './wav-format.ts';

const RIFF_HEADER = 12;
const MAX_CHUNKS = 10_000;
/** Writers that cannot seek write one of these sizes, or 0. */
const UNKNOWN_FROM = 0x7fff_0000;

/**
 * Duration of a WAV file in seconds, by its bytes of audio. Source: Microsoft's "Multimedia Programming Interface and
 * Data Specifications 1.0", RIFF WAVE; EBU Tech 3306 for RF64.
 * @throws AudioFault
 */
export async function wavDuration(file: FileWindow, begin: number): Promise<number> {
  let bytesPerSecond = 0;
  let position = begin + RIFF_HEADER;
  let seconds = 0;
  let found = false;
  for (let count = 0; count < MAX_CHUNKS && position + 8 <= file.size; count++) {
    const header = await file.at(position, 8);
    const name = header.toString('latin1', 0, 4);
    const size = header.readUInt32LE(4);
    position += 8;
    if (name === 'fmt ') bytesPerSecond = rateOf(await file.at(position, Math.min(size, WAV_FORMAT_BYTES)));
    if (name === 'data') {
      if (!(bytesPerSecond > 0)) throw new AudioFault('its header has no valid sample format');
      const bytes = soundBytes(size, file.size - position);
      // Players play all data chunks.
      seconds += bytes / bytesPerSecond;
      found = true;
      if (bytes !== size) return seconds;
    }
    position += size + (size % 2);
  }
  if (found) return seconds;
  throw new AudioFault('it ends before its audio data');
}

/** @throws AudioFault */
function rateOf(format: Buffer): number {
  if (format.length < WAV_FORMAT_BYTES) throw new AudioFault('it ends within its header');
  const { bytesPerSecond } = readWavFormat(format);
  if (bytesPerSecond === 'impossible') throw new AudioFault('its header has no valid sample format');
  if (bytesPerSecond === 'packed') throw new AudioFault('its encoding is not supported');
  return bytesPerSecond;
}

/** @throws AudioFault */
function soundBytes(declared: number, available: number): number {
  if (declared === 0 || declared >= UNKNOWN_FROM) return available;
  if (declared > available)
    throw new AudioFault(
      `it is truncated: its header declares ${declared} bytes of audio, but it contains ${available}`,
    );
  return declared;
}
