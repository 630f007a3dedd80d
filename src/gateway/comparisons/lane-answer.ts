import { SluiceError } from '../../errors/index.ts';
import { isObject } from '../../protocols/canonical/json-members.ts';
import { imagesOf } from '../capabilities/images/images-answer.ts';
import { tryParse } from '../json-text.ts';
import type { ComparisonKind, LaneMedia, LaneState } from './lane-state.ts';

/** A file in a response. */
export interface MediaFile {
  readonly contentType: string;
  readonly bytes: Buffer;
}

const formats: readonly (readonly [start: string, contentType: string])[] = [
  ['89504e470d0a1a0a', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['474946', 'image/gif'],
];

/** A complete response. */
interface LaneResponse {
  readonly kind: ComparisonKind;
  readonly body: Buffer;
  readonly contentType: string;
  readonly provider: string;
}

/** Stores the files of a response. A chat is read from its updates. @returns the members of the lane that it sets */
export async function readLaneResponse(
  { kind, body, contentType, provider }: LaneResponse,
  storeFile: (file: MediaFile) => Promise<LaneMedia>,
): Promise<Partial<LaneState>> {
  if (kind === 'chat') return {};
  if (kind === 'embeddings') return similarityIn(body, provider);
  const media: LaneMedia[] = [];
  for (const file of kind === 'image' ? imagesIn(body) : [{ contentType, bytes: body }])
    media.push(await storeFile(file));
  return { media };
}

/** The images of a response with base64 in it. */
function imagesIn(body: Buffer): MediaFile[] {
  const answer = tryParse(body.toString());
  const given = isObject(answer) ? imagesOf(answer) : [];
  return given.flatMap(({ b64_json: base64 }) => {
    if (typeof base64 !== 'string') return [];
    const bytes = Buffer.from(base64, 'base64');
    return [{ contentType: imageType(bytes), bytes }];
  });
}

/** Detected from the first bytes, not from the provider's claim. */
function imageType(bytes: Buffer): string {
  const start = bytes.toString('hex', 0, 12);
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') return 'image/webp';
  return formats.find(([magic]) => start.startsWith(magic))?.[1] ?? 'application/octet-stream';
}

/** The cosine similarity of the two embeddings of a response. @throws SluiceError provider_invalid_response */
function similarityIn(body: Buffer, provider: string): { similarity: number; dimensions: number } {
  const answer = tryParse(body.toString());
  const items: unknown[] = isObject(answer) && Array.isArray(answer.data) ? answer.data : [];
  const [first, second] = items.map((item) => (isObject(item) ? numbersOf(item.embedding) : null));
  if (!first || !second || first.length !== second.length || first.length === 0)
    throw new SluiceError('provider_invalid_response', {
      values: { provider },
      detail: 'not two embeddings of equal length',
    });
  let [dot, a, b] = [0, 0, 0];
  for (const [index, x] of first.entries()) {
    const y = second[index] ?? 0;
    dot += x * y;
    a += x * x;
    b += y * y;
  }
  const similarity = a === 0 || b === 0 ? 0 : dot / Math.sqrt(a * b);
  return { similarity: Math.max(-1, Math.min(1, similarity)), dimensions: first.length };
}

function numbersOf(value: unknown): readonly number[] | null {
  return Array.isArray(value) && value.every((item) => typeof item === 'number') ? value : null;
}
