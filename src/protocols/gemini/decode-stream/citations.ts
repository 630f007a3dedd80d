import type { UrlCitation } from '../../canonical/stream-part.ts';
import { countOf, listOf, objectOf, textOf, type JsonObject } from '../../canonical/json-members.ts';

interface Source {
  readonly url: string;
  readonly title: string;
}

/**
 * The web pages that ground a response. Google counts its segments in bytes of UTF-8, OpenAI its citations in
 * characters. A source without a segment has the indexes 0 and 0. Source: ai.google.dev/api/generate-content,
 * GroundingMetadata.
 */
export function citationsOf(groundingMetadata: JsonObject, answer: string): UrlCitation[] {
  const sources = listOf(groundingMetadata.groundingChunks).map(sourceOf);
  const citations: UrlCitation[] = [];
  const cited = new Set<number>();
  const characterAt = characterOffsets(answer);
  for (const support of listOf(groundingMetadata.groundingSupports)) {
    const { segment, groundingChunkIndices: chunks } = objectOf(support) ?? {};
    const { startIndex = 0, endIndex } = objectOf(segment) ?? {};
    const span = { startIndex: characterAt(countOf(startIndex) ?? 0), endIndex: characterAt(countOf(endIndex) ?? 0) };
    for (const chunk of listOf(chunks).map(countOf)) {
      const source = chunk === null ? undefined : sources[chunk];
      if (chunk === null || !source) continue;
      cited.add(chunk);
      citations.push({ ...source, ...span });
    }
  }
  for (const [index, source] of sources.entries())
    if (source && !cited.has(index)) citations.push({ ...source, startIndex: 0, endIndex: 0 });
  return citations;
}

function sourceOf(chunk: unknown): Source | null {
  const { web, maps, image, retrievedContext } = objectOf(chunk) ?? {};
  const found = objectOf(web) ?? objectOf(maps) ?? objectOf(image) ?? objectOf(retrievedContext);
  // Google requires a link to the page of an image, not to the image.
  const url = textOf(found?.uri) ?? textOf(found?.sourceUri);
  if (url === null || !/^https?:/.test(url)) return null;
  return { url, title: textOf(found?.title) ?? '' };
}

/** Converts offsets in bytes to offsets in characters, in one pass through the text for any number of offsets. */
function characterOffsets(answer: string): (byte: number) => number {
  const bytes = Buffer.from(answer);
  if (bytes.length === answer.length) return (byte) => Math.min(byte, answer.length);
  const offsets = new Uint32Array(bytes.length + 1);
  let character = 0;
  for (const [at, byte] of bytes.entries()) {
    offsets[at] = character;
    const next = bytes[at + 1] ?? 0;
    const isLast = (next & 0xc0) !== 0x80;
    // A character of four bytes in UTF-8 has two UTF-16 units.
    if (isLast) character += isFourBytes(bytes, at, byte) ? 2 : 1;
  }
  offsets[bytes.length] = character;
  return (byte) => offsets[Math.min(byte, bytes.length)] ?? character;
}

function isFourBytes(bytes: Buffer, last: number, byte: number): boolean {
  return (byte & 0xc0) === 0x80 && (bytes[last - 3] ?? 0) >= 0xf0;
}
