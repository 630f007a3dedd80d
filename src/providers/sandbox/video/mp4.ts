/** A video track. */
export interface VideoTrack {
  readonly width: number;
  readonly height: number;
  readonly framesPerSecond: number;
  readonly sequenceParameters: Buffer;
  readonly pictureParameters: Buffer;
  /** Units of the stream, one per frame; the first one is independent. */
  readonly frames: readonly Buffer[];
}

const LENGTH_BYTES = 4;

/**
 * An MP4 file that can be played while it is received: its metadata precedes its data. Source: ISO/IEC 14496-12 and
 * -15.
 */
export function mp4File(track: VideoTrack): Buffer {
  const fileType = box('ftyp', text('isom'), u32(512), text('isomiso2avc1mp41'));
  const samples = track.frames.map((frame) => Buffer.concat([u32(frame.length), frame]));
  const header = movie(track, samples, 0);
  const offset = fileType.length + header.length + 8;
  return Buffer.concat([fileType, movie(track, samples, offset), box('mdat', ...samples)]);
}

function movie(track: VideoTrack, samples: readonly Buffer[], offset: number): Buffer {
  const { width, height, framesPerSecond: scale } = track;
  const duration = samples.length;
  return box(
    'moov',
    full(
      'mvhd',
      0,
      zeros(8),
      u32(scale),
      u32(duration),
      u32(0x10000),
      u16(0x100),
      zeros(10),
      matrix,
      zeros(24),
      u32(2),
    ),
    box(
      'trak',
      full(
        'tkhd',
        3,
        zeros(8),
        u32(1),
        zeros(4),
        u32(duration),
        zeros(16),
        matrix,
        u32(width << 16),
        u32(height << 16),
      ),
      box(
        'mdia',
        full('mdhd', 0, zeros(8), u32(scale), u32(duration), u16(UNDETERMINED), zeros(2)),
        full('hdlr', 0, zeros(4), text('vide'), zeros(12), text('VideoHandler\0')),
        box(
          'minf',
          full('vmhd', 1, zeros(8)),
          box('dinf', full('dref', 0, u32(1), full('url ', 1))),
          sampleTable(track, samples, offset),
        ),
      ),
    ),
  );
}

function sampleTable(track: VideoTrack, samples: readonly Buffer[], offset: number): Buffer {
  const { width, height, sequenceParameters: sps, pictureParameters: pps } = track;
  const configuration = box(
    'avcC',
    Buffer.from([1]),
    sps.subarray(1, 4),
    Buffer.from([0xfc | (LENGTH_BYTES - 1), 0xe1]),
    u16(sps.length),
    sps,
    Buffer.from([1]),
    u16(pps.length),
    pps,
  );
  const entry = box(
    'avc1',
    zeros(6),
    u16(1),
    zeros(16),
    u16(width),
    u16(height),
    u32(72 << 16),
    u32(72 << 16),
    zeros(4),
    u16(1),
    zeros(32),
    u16(24),
    u16(0xffff),
    configuration,
  );
  return box(
    'stbl',
    full('stsd', 0, u32(1), entry),
    full('stts', 0, u32(1), u32(samples.length), u32(1)),
    full('stss', 0, u32(1), u32(1)),
    full('stsc', 0, u32(1), u32(1), u32(samples.length), u32(1)),
    full('stsz', 0, u32(0), u32(samples.length), ...samples.map(({ length }) => u32(length))),
    full('stco', 0, u32(1), u32(offset)),
  );
}

/** The language `und`, as three letters of five bits. */
const UNDETERMINED = 0x55c4;
const matrix = Buffer.concat([0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000].map(u32));

function box(type: string, ...parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 8);
  return Buffer.concat([u32(length), text(type), ...parts]);
}

/** With version 0, and flags. */
function full(type: string, flags: number, ...parts: readonly Buffer[]): Buffer {
  return box(type, u32(flags), ...parts);
}

function text(value: string): Buffer {
  return Buffer.from(value, 'latin1');
}

function zeros(length: number): Buffer {
  return Buffer.alloc(length);
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}
