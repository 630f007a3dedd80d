import type { AudioPart } from './audio-part.ts';
import { SAMPLE_RATE, speak, type Utterance } from './synthesis.ts';

const BLOCK_SAMPLES = 2_400;
const STREAM_INFO_BYTES = 34;
/** As encoded in the format: a block length that follows in 16 bits, 24 kHz, mono, 16-bit samples. */
const [LENGTH_FOLLOWS, RATE_CODE, SIZE_CODE] = [7, 7, 4];
const [CONSTANT, VERBATIM] = [0x00, 0x02];

/** FLAC without compression: silence as one sample, everything else verbatim. Source: RFC 9639, 8 and 9. */
export function* flac(utterance: Utterance): Generator<AudioPart> {
  yield { bytes: streamInfo(utterance.samples), seconds: 0 };
  let number = 0;
  for (const samples of speak(utterance, BLOCK_SAMPLES))
    yield { bytes: frame(samples, number++), seconds: samples.length / SAMPLE_RATE };
}

function streamInfo(samples: number): Buffer {
  const info = Buffer.alloc(8 + STREAM_INFO_BYTES);
  info.write('fLaC', 0, 'latin1');
  // The last metadata block.
  info[4] = 0x80;
  info.writeUIntBE(STREAM_INFO_BYTES, 5, 3);
  info.writeUInt16BE(BLOCK_SAMPLES, 8);
  info.writeUInt16BE(BLOCK_SAMPLES, 10);
  // Rate in 20 bits, channels minus one in 3, bits minus one in 5, samples in 36.
  info.writeUIntBE((SAMPLE_RATE << 4) | (15 >> 4), 18, 3);
  info[21] = (15 & 0x0f) << 4;
  info.writeUInt32BE(samples, 22);
  return info;
}

function frame(samples: Int16Array, number: number): Buffer {
  const head = [0xff, 0xf8, (LENGTH_FOLLOWS << 4) | RATE_CODE, SIZE_CODE << 1, ...coded(number)];
  const last = samples.length - 1;
  head.push(last >> 8, last & 0xff);
  head.push(crc(head, 8, 0x07));
  const [first = 0] = samples;
  const isConstant = samples.every((sample) => sample === first);
  const body = Buffer.alloc(1 + 2 * (isConstant ? 1 : samples.length));
  body[0] = isConstant ? CONSTANT : VERBATIM;
  (isConstant ? samples.subarray(0, 1) : samples).forEach((sample, at) => body.writeInt16BE(sample, 1 + 2 * at));
  const whole = Buffer.concat([Buffer.from(head), body]);
  const check = crc(whole, 16, 0x8005);
  return Buffer.concat([whole, Buffer.from([check >> 8, check & 0xff])]);
}

/** A number in the coding that UTF-8 uses for characters. */
function coded(number: number): Buffer {
  return Buffer.from(String.fromCodePoint(number));
}

/** With 8 or 16 bits, highest first. */
function crc(bytes: Iterable<number>, bits: 8 | 16, polynomial: number): number {
  const top = 1 << (bits - 1);
  const mask = 2 ** bits - 1;
  let value = 0;
  for (const byte of bytes) {
    value ^= byte << (bits - 8);
    for (let bit = 0; bit < 8; bit++) value = (value & top) === 0 ? value << 1 : ((value << 1) ^ polynomial) & mask;
  }
  return value & mask;
}
