const BYTE_BITS = 8;
const [PCM, FLOAT, A_LAW, MU_LAW, EXTENSIBLE] = [1, 3, 6, 7, 0xfffe];
const uncompressed = new Set([PCM, FLOAT, A_LAW, MU_LAW, EXTENSIBLE]);
const [MS_ADPCM, IMA_ADPCM] = [0x02, 0x11];
/** What is beyond these is no recording. */
const [MAX_BITS, MAX_CHANNELS, MAX_RATE] = [64, 64, 1_536_000];

/** How much of a `fmt ` chunk a format is read from. */
export const WAV_FORMAT_BYTES = 16;

/** What a `fmt ` chunk says of the sound. */
export interface WavFormat {
  /** Of sound in a second: 'impossible' for what no recording is, 'packed' where it is packed in a way that cannot be measured. */
  readonly bytesPerSecond: number | 'impossible' | 'packed';
  /** The same as it is told, which does not have to be so. */
  readonly declaredBytesPerSecond: number;
}

/** Takes `WAV_FORMAT_BYTES`. Source: Microsoft, Multimedia Programming Interface and Data Specifications 1.0, WAVE. */
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

/** Of ADPCM, by the length of a block in bytes: what the header tells of it is not needed. 0 for other kinds. */
function samplesPerBlock(kind: number, block: number, channels: number): number {
  if (kind === MS_ADPCM) return ((block - 7 * channels) * 2) / channels + 2;
  if (kind === IMA_ADPCM) return ((block - 4 * channels) * 2) / channels + 1;
  return 0;
}
