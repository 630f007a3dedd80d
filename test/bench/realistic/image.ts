import { crc32, deflateSync } from 'node:zlib';
import { Sequence } from './texts.ts';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const BITS_PER_CHANNEL = 8;
const RGB = 2;

/** A PNG of noise, which does not compress: as large as a photograph of so many pixels. */
export function pngOf(side: number, seed: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.writeUInt8(BITS_PER_CHANNEL, 8);
  header.writeUInt8(RGB, 9);
  const sequence = new Sequence(seed);
  // Each row starts with its filter, which is none.
  const rows = Array.from({ length: side }, () =>
    Buffer.from([0, ...Array.from({ length: side * 3 }, () => sequence.below(256))]),
  );
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, checksum]);
}
