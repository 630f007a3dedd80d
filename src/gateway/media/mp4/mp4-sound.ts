/** Encoding parameters of an audio track. */
export interface PackedSound {
  /** Duration of one sample; null where it varies. */
  readonly pieceSeconds: number | null;
  /** The maximum byte rate of the encoding. */
  readonly maxBytesPerSecond: number;
}

/** The maximum of any recording: eight channels of 32-bit samples at 192 kHz. */
const MAX_BYTES_PER_SECOND = 192_000 * 8 * 4;
const MP3_BYTES_PER_SECOND = 40_000;
/** For two channels. */
const OPUS_BYTES_PER_SECOND = 64_000;
/** The shortest MP3 frame: 1,152 samples at 48 kHz. */
const MP3_SECONDS = 0.024;
const [ES, DECODER_CONFIG, DECODER_SPECIFIC] = [3, 4, 5];
const [aac, mp3] = [new Set([0x40, 0x66, 0x67, 0x68]), new Set([0x69, 0x6b])];
/** AAC types with frames of 1,024 samples: Main, LC, SSR, LTP, and LC within SBR and PS. */
const [SBR, PS, plain] = [5, 29, new Set([1, 2, 3, 4])];
/** 6,144 bits per channel and frame. Source: ISO/IEC 14496-3, 4.5.3. */
const AAC_FRAME_BYTES = 768;
const aacRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350];
const ALAC_CONFIG_BYTES = 28;
const ALAC_ROOM_BYTES = 64;

const unknown: PackedSound = { pieceSeconds: null, maxBytesPerSecond: MAX_BYTES_PER_SECOND };

/**
 * Of several descriptions, the one that implies the longest duration. Source: ISO/IEC 14496-12, 8.5.2; 14496-1, 7.2.6
 * for `esds`; 14496-3, 1.6.2.1 for AAC; Apple's ALACMagicCookieDescription.txt.
 * @param descriptions the content of `stsd`
 */
export function readPackedSound(descriptions: Buffer): PackedSound {
  const found = [
    ...placesOf(descriptions, 'esds').map((at) => readElementary(descriptions.subarray(at + 4))),
    ...placesOf(descriptions, 'alac').map((at) => readAlac(descriptions.subarray(at))),
    ...placesOf(descriptions, 'dOps').map((at) => readOpus(descriptions[at + 1] ?? 2)),
  ].filter((each) => each !== null);
  return found.toSorted((one, other) => one.maxBytesPerSecond - other.maxBytesPerSecond)[0] ?? unknown;
}

/** Offsets after each occurrence of the name. */
function placesOf(bytes: Buffer, name: string): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(name, 0, 'latin1'); at >= 0; at = bytes.indexOf(name, at + 4, 'latin1'))
    places.push(at + name.length);
  return places;
}

function readElementary(bytes: Buffer): PackedSound | null {
  const stream = descriptor(bytes, ES);
  const flags = stream?.[2] ?? 0;
  const skipped = 3 + (flags & 0x80 ? 2 : 0) + (flags & 0x40 ? 1 + (stream?.[3] ?? 0) : 0) + (flags & 0x20 ? 2 : 0);
  const config = stream && descriptor(stream.subarray(skipped), DECODER_CONFIG);
  const kind = config?.[0];
  if (kind === undefined) return null;
  if (mp3.has(kind)) return { pieceSeconds: MP3_SECONDS, maxBytesPerSecond: MP3_BYTES_PER_SECOND };
  const own = config && descriptor(config.subarray(13), DECODER_SPECIFIC);
  return !aac.has(kind) || own == null ? null : readAac(own);
}

/** The content of a descriptor with this tag; null for another one. */
function descriptor(bytes: Buffer, tag: number): Buffer | null {
  if (bytes[0] !== tag) return null;
  let at = 1;
  let length = 0;
  for (let more = true; more && at <= 4; at++) {
    const byte = bytes[at] ?? 0;
    length = length * 128 + (byte & 0x7f);
    more = byte >= 0x80;
  }
  return bytes.subarray(at, at + length);
}

function readOpus(channels: number): PackedSound {
  return { pieceSeconds: null, maxBytesPerSecond: OPUS_BYTES_PER_SECOND * Math.max(1, channels / 2) };
}

function readAac(config: Buffer): PackedSound | null {
  let place = 0;
  const bits = (count: number): number => {
    let value = 0;
    for (const end = place + count; place < end; place++)
      value = value * 2 + (((config[place >> 3] ?? 0) >> (7 - (place & 7))) & 1);
    return value;
  };
  const readKind = (): number => {
    const kind = bits(5);
    return kind === 31 ? 32 + bits(6) : kind;
  };
  const readRate = (): number => {
    const index = bits(4);
    return index === 15 ? bits(24) : (aacRates[index] ?? 0);
  };
  let kind = readKind();
  const rate = readRate();
  const channels = bits(4);
  if (kind === SBR || kind === PS) {
    readRate();
    kind = readKind();
  }
  if (!plain.has(kind) || rate === 0) return null;
  const samples = bits(1) === 1 ? 960 : 1_024;
  // Files declare one channel where there are two; 0 means defined elsewhere, and 7 means eight channels.
  const maxChannels = channels === 0 || channels === 7 ? 8 : Math.max(2, channels);
  return { pieceSeconds: samples / rate, maxBytesPerSecond: (AAC_FRAME_BYTES * maxChannels * rate) / samples };
}

function readAlac(config: Buffer): PackedSound | null {
  // The outer box has the same name and starts differently.
  if (config.length < ALAC_CONFIG_BYTES || config.readUInt32BE(0) !== 0) return null;
  const [samples, bits, channels, rate] = [
    config.readUInt32BE(4),
    config[9] ?? 0,
    config[13] ?? 0,
    config.readUInt32BE(24),
  ];
  if (samples === 0 || bits === 0 || channels === 0 || rate === 0) return null;
  const bytes = (samples * bits * channels) / 8 + ALAC_ROOM_BYTES;
  return { pieceSeconds: samples / rate, maxBytesPerSecond: (bytes * rate) / samples };
}
