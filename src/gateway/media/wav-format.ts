const BYTE_BITS = 8;
const [PCM, FLOAT, A_LAW, MU_LAW, EXTENSIBLE] = [1, 3, 6, 7, 0xfffe];
const uncompressed = new Set([PCM, FLOAT, A_LAW, MU_LAW, EXTENSIBLE]);
const [MS_ADPCM, IMA_ADPCM] = [0x02, 0x11];
/** A file beyond these limits is no recording. */
const [MAX_BITS, MAX_CHANNELS, MAX_RATE] = [64, 64, 1_536_000];

/** Bytes of a `fmt ` chunk needed to read a format. */
export const WAV_FORMAT_BYTES = 16;

/** The audio format of a `fmt ` chunk. */
export interface WavFormat {
  /** Computed byte rate: 'impossible' for values no recording has, 'packed' for an encoding that cannot be measured. */
  readonly bytesPerSecond: number | 'impossible' | 'packed';
  /** The declared byte rate, which may be wrong. */
  readonly declaredBytesPerSecond: number;
}

/**
 * Requires `WAV_FORMAT_BYTES`. Source: Microsoft, Multimedia Programming Interface and Data Specifications 1.0, WAVE.
 */
export function readWavFormat(format: Buffer): WavFormat {
  return { bytesPerSecond: rateOf(format), declaredBytesPerSecond: format.readUInt32LE(8) };
}

function rateOf(format: Buffer): WavFormat['bytesPerSecond'] {
  const kind = format.readUInt16LE(0);
  const channels = format.readUInt16LE(2);
  const rate = format.readUInt32LE(4);
  const bits = kind === A_LAW || kind === MU_LAW ? BYTE_BITS : format.readUInt16LE(14);
  if (channels < 1 || channels > MAX_CHANNELS || rate < 1 || rate > MAX_RATE || bits > MAX_BITS) return 'impossible';
  if (uncompressed.has(kind) && bits > 0) return rate * channels * Math.ceil(bits / BYTE_BITS);
  const block = format.readUInt16LE(12);
  const samples = samplesPerBlock(kind, block, channels);
  return samples > 0 ? (rate * block) / samples : 'packed';
}

/** For ADPCM, by the block size in bytes and not by the header's claim. 0 for other encodings. */
function samplesPerBlock(kind: number, block: number, channels: number): number {
  if (kind === MS_ADPCM) return ((block - 7 * channels) * 2) / channels + 2;
  if (kind === IMA_ADPCM) return ((block - 4 * channels) * 2) / channels + 1;
  return 0;
}
