import type { FileWindow } from './file-window.ts';

const HEADER_BYTES = 10;
const MAX_TAGS = 8;

/** The offset after a file's ID3v2 tags, which may contain images. Source: id3.org, id3v2.4.0-structure. */
export async function skipTags(file: FileWindow): Promise<number> {
  let position = 0;
  for (let tags = 0; tags < MAX_TAGS; tags++) {
    const head = await file.at(position, HEADER_BYTES);
    if (head.length < HEADER_BYTES || head.toString('latin1', 0, 3) !== 'ID3') break;
    const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((head[at] ?? 0) & 0x7f), 0);
    const footer = ((head[5] ?? 0) & 0x10) === 0 ? 0 : HEADER_BYTES;
    position += HEADER_BYTES + size + footer;
  }
  return position;
}
