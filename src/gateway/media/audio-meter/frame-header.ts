/** A frame of MPEG audio or of AAC. */
export interface FrameHeader {
  /** Length of the frame; null in MPEG's free format. */
  readonly bytes: number | null;
  readonly seconds: number;
  /** Properties that are equal in all frames of a stream. */
  readonly kind: number;
  /** For MPEG layer III: the offset of the encoder's tag after the header. */
  readonly tagAt: number | null;
  readonly padding: number;
}

/** Bytes needed to read a header. */
export const FRAME_HEADER_BYTES = 7;

const layerOneRates = [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448];
const layerTwoRates = [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384];
const layerThreeRates = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const lowLayerOneRates = [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256];
const lowOtherRates = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const mpegRates = [44_100, 48_000, 32_000];
const aacRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350];

/** Null where no frame starts. Requires `FRAME_HEADER_BYTES`. */
export function readFrameHeader(bytes: Buffer): FrameHeader | null {
  const [first = 0, second = 0] = bytes;
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return null;
  const isLayerless = (second & 0x06) === 0;
  return isLayerless ? readAdts(bytes) : readMpeg(bytes);
}

/** Source: ISO/IEC 13818-7, 6.2, ADTS. */
function readAdts(bytes: Buffer): FrameHeader | null {
  const [, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0, seventh = 0] = bytes;
  const rate = aacRates[(third >> 2) & 0x0f];
  const length = ((fourth & 0x03) << 11) | (fifth << 3) | (sixth >> 5);
  if ((second & 0xf0) !== 0xf0 || rate === undefined || length < FRAME_HEADER_BYTES) return null;
  const blocks = (seventh & 0x03) + 1;
  return {
    bytes: length,
    seconds: (blocks * 1_024) / rate,
    kind: ((second & 0xf6) << 8) | (third & 0xfc),
    tagAt: null,
    padding: 0,
  };
}

/**
 * Source: ISO/IEC 11172-3, 2.4.2.3, and 13818-3 for the lower rates; version 2.5 is Fraunhofer's extension, which all
 * decoders support.
 */
function readMpeg(bytes: Buffer): FrameHeader | null {
  const [, second = 0, third = 0, fourth = 0] = bytes;
  const version = (second >> 3) & 0x03;
  const layer = 4 - ((second >> 1) & 0x03);
  const baseRate = mpegRates[(third >> 2) & 0x03];
  if (version === 1 || baseRate === undefined) return null;
  const isFirstVersion = version === 3;
  const rate = isFirstVersion ? baseRate : version === 2 ? baseRate / 2 : baseRate / 4;
  const kilobits = bitRates(isFirstVersion, layer)[third >> 4];
  if (kilobits === undefined) return null;
  const padding = ((third >> 1) & 0x01) * (layer === 1 ? 4 : 1);
  const samples = layer === 1 ? 384 : layer === 3 && !isFirstVersion ? 576 : 1_152;
  const slot = layer === 1 ? 4 : 1;
  const length = Math.floor(((samples / 8 / slot) * kilobits * 1_000) / rate) * slot + padding;
  const isMono = fourth >> 6 === 3;
  return {
    bytes: kilobits === 0 ? null : length,
    seconds: samples / rate,
    kind: ((second & 0xfe) << 8) | (third & 0x0c),
    tagAt: layer === 3 ? (isFirstVersion ? (isMono ? 17 : 32) : isMono ? 9 : 17) : null,
    padding,
  };
}

function bitRates(isFirstVersion: boolean, layer: number): readonly number[] {
  if (!isFirstVersion) return layer === 1 ? lowLayerOneRates : lowOtherRates;
  return layer === 1 ? layerOneRates : layer === 2 ? layerTwoRates : layerThreeRates;
}
