import { AudioFault } from './audio-fault.ts';
import type { FileWindow } from './file-window.ts';

const MOST_CHUNKS = 10_000;
/** Writers that cannot go back to tell a size leave one of these, or 0. */
const UNKNOWN_FROM = 0x7fff_0000;
const [PCM, FLOAT, A_LAW, MU_LAW, EXTENSIBLE] = [1, 3, 6, 7, 0xfffe];
const uncompressed = new Set([PCM, FLOAT, A_LAW, MU_LAW, EXTENSIBLE]);
const adpcm = new Set([0x02, 0x11]);

/**
 * Seconds of a WAV file, by the bytes of sound in it. Source: Microsoft's "Multimedia Programming Interface and Data
 * Specifications 1.0", RIFF WAVE; EBU Tech 3306 for RF64.
 * @throws AudioFault
 */
export async function wavDuration(file: FileWindow): Promise<number> {
  let bytesPerSecond = 0;
  let position = 12;
  for (let count = 0; count < MOST_CHUNKS && position + 8 <= file.size; count++) {
    const header = await file.at(position, 8);
    const name = header.toString('latin1', 0, 4);
    const size = header.readUInt32LE(4);
    position += 8;
    if (name === 'fmt ') bytesPerSecond = rateOf(await file.at(position, Math.min(size, 20)));
    if (name === 'data') {
      if (!(bytesPerSecond > 0)) throw new AudioFault('its header does not say how it is sampled');
      return soundBytes(size, file.size - position) / bytesPerSecond;
    }
    position += size + (size % 2);
  }
  throw new AudioFault('it ends before its sound');
}

/** @throws AudioFault */
function rateOf(format: Buffer): number {
  if (format.length < 16) throw new AudioFault('it ends within its header');
  const kind = format.readUInt16LE(0);
  const rate = format.readUInt32LE(4);
  const bits = format.readUInt16LE(14);
  if (uncompressed.has(kind) && bits > 0) return rate * format.readUInt16LE(2) * Math.ceil(bits / 8);
  // Blocks of so many bytes hold so many samples.
  const perBlock = adpcm.has(kind) && format.length >= 20 ? format.readUInt16LE(18) : 0;
  return perBlock > 0 ? (rate * format.readUInt16LE(12)) / perBlock : format.readUInt32LE(8);
}

/** @throws AudioFault */
function soundBytes(told: number, there: number): number {
  if (told === 0 || told >= UNKNOWN_FROM) return there;
  if (told > there)
    throw new AudioFault(`it is cut off: its header tells of ${told} bytes of sound, and ${there} are there`);
  return told;
}
