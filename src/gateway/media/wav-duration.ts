import { AudioFault } from './audio-fault.ts';
import type { FileWindow } from './file-window.ts';

const MOST_CHUNKS = 10_000;
const BYTE_BITS = 8;
/** Writers that cannot go back to tell a size leave one of these, or 0. */
const UNKNOWN_FROM = 0x7fff_0000;
const [PCM, FLOAT, A_LAW, MU_LAW, EXTENSIBLE] = [1, 3, 6, 7, 0xfffe];
const uncompressed = new Set([PCM, FLOAT, A_LAW, MU_LAW, EXTENSIBLE]);
const [MS_ADPCM, IMA_ADPCM] = [0x02, 0x11];
/** What is beyond these is no recording. */
const [MOST_BITS, MOST_CHANNELS, MOST_RATE] = [64, 64, 1_536_000];

/**
 * Seconds of a WAV file, by the bytes of sound in it. Source: Microsoft's "Multimedia Programming Interface and Data
 * Specifications 1.0", RIFF WAVE; EBU Tech 3306 for RF64.
 * @throws AudioFault
 */
export async function wavDuration(file: FileWindow): Promise<number> {
  let bytesPerSecond = 0;
  let position = 12;
  let seconds = 0;
  let found = false;
  for (let count = 0; count < MOST_CHUNKS && position + 8 <= file.size; count++) {
    const header = await file.at(position, 8);
    const name = header.toString('latin1', 0, 4);
    const size = header.readUInt32LE(4);
    position += 8;
    if (name === 'fmt ') bytesPerSecond = rateOf(await file.at(position, Math.min(size, 20)));
    if (name === 'data') {
      if (!(bytesPerSecond > 0)) throw new AudioFault('its header does not say how it is sampled');
      const bytes = soundBytes(size, file.size - position);
      // Players go on with each further piece.
      seconds += bytes / bytesPerSecond;
      found = true;
      if (bytes !== size) return seconds;
    }
    position += size + (size % 2);
  }
  if (found) return seconds;
  throw new AudioFault('it ends before its sound');
}

/** @throws AudioFault */
function rateOf(format: Buffer): number {
  if (format.length < 16) throw new AudioFault('it ends within its header');
  const kind = format.readUInt16LE(0);
  const channels = format.readUInt16LE(2);
  const rate = format.readUInt32LE(4);
  const bits = kind === A_LAW || kind === MU_LAW ? BYTE_BITS : format.readUInt16LE(14);
  if (channels < 1 || channels > MOST_CHANNELS || rate < 1 || rate > MOST_RATE || bits > MOST_BITS)
    throw new AudioFault('its header does not say how it is sampled');
  if (uncompressed.has(kind) && bits > 0) return rate * channels * Math.ceil(bits / BYTE_BITS);
  const block = format.readUInt16LE(12);
  const samples = samplesPerBlock(kind, block, channels);
  if (samples <= 0) throw new AudioFault('its sound is packed in a way that cannot be measured');
  return (rate * block) / samples;
}

/** Of ADPCM, by the length of a block in bytes: what the header tells of it is not needed. 0 for other kinds. */
function samplesPerBlock(kind: number, block: number, channels: number): number {
  if (kind === MS_ADPCM) return ((block - 7 * channels) * 2) / channels + 2;
  if (kind === IMA_ADPCM) return ((block - 4 * channels) * 2) / channels + 1;
  return 0;
}

/** @throws AudioFault */
function soundBytes(told: number, there: number): number {
  if (told === 0 || told >= UNKNOWN_FROM) return there;
  if (told > there)
    throw new AudioFault(`it is cut off: its header tells of ${told} bytes of sound, and ${there} are there`);
  return told;
}
