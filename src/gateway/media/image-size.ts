/** Properties of an image, read from its first bytes. */
export interface ImageInfo {
  readonly format: 'png' | 'jpeg' | 'webp' | 'gif';
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Enough for the size of nearly any image: a JPEG may have a profile and a preview before it. */
export const IMAGE_HEAD_BYTES = 512 * 1024;

/**
 * Reads the format and size of an image from its beginning; null for an unknown format. Source: PNG 5.2 and 11.2.2;
 * JPEG (ITU T.81) B.1.1 and B.2.2; WebP container (RFC 9649) 2.3 to 2.7; GIF89a 17 and 18.
 */
export function readImageInfo(head: Buffer): ImageInfo | null {
  const found = readPng(head) ?? readJpeg(head) ?? readWebp(head) ?? readGif(head);
  return found !== null && found.width > 0 && found.height > 0 ? found : null;
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function readPng(head: Buffer): ImageInfo | null {
  if (head.length < 24 || !head.subarray(0, 8).equals(PNG_SIGNATURE) || ascii(head, 12, 16) !== 'IHDR') return null;
  return { format: 'png', width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

/** Start-of-frame markers: 0xC0 to 0xCF except those of Huffman and arithmetic coding tables and a reserved one. */
function beginsFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function readJpeg(head: Buffer): ImageInfo | null {
  if (head.length < 4 || head.readUInt16BE(0) !== 0xffd8) return null;
  for (let at = 2; at + 9 <= head.length;) {
    if (head[at] !== 0xff) return null;
    const marker = head[at + 1] ?? 0;
    // A marker may follow any number of fill bytes, and some have no segment.
    if (marker === 0xff) at++;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else if (beginsFrame(marker))
      return { format: 'jpeg', height: head.readUInt16BE(at + 5), width: head.readUInt16BE(at + 7) };
    else at += 2 + Math.max(2, head.readUInt16BE(at + 2));
  }
  return null;
}

function readWebp(head: Buffer): ImageInfo | null {
  if (head.length < 30 || ascii(head, 0, 4) !== 'RIFF' || ascii(head, 8, 12) !== 'WEBP') return null;
  const format = 'webp';
  switch (ascii(head, 12, 16)) {
    case 'VP8X':
      return { format, width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      if (head[20] !== 0x2f) return null;
      const bits = head.readUInt32LE(21);
      return { format, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      if (head.readUIntBE(23, 3) !== 0x9d012a) return null;
      return { format, width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
    default:
      return null;
  }
}

function readGif(head: Buffer): ImageInfo | null {
  if (head.length < 10 || !/^GIF8[79]a$/.test(ascii(head, 0, 6))) return null;
  return { format: 'gif', width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
}

function ascii(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('latin1', start, end);
}
