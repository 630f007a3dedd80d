import { SluiceError } from '../../../errors/index.ts';

const BYTES_PER_NUMBER = 4;

/** An embedding in a response: numbers, or base64 of little-endian float32, one after the other. */
export type WireVector = readonly number[] | string;

export type VectorEncoding = 'float' | 'base64';

/** Base64 of little-endian float32. */
export function toBase64(vector: ArrayLike<number>): string {
  const bytes = Buffer.alloc(vector.length * BYTES_PER_NUMBER);
  for (let index = 0; index < vector.length; index++) bytes.writeFloatLE(vector[index] ?? 0, index * BYTES_PER_NUMBER);
  return bytes.toString('base64');
}

/** Null for text that is not base64 of float32. */
function fromBase64(text: string): number[] | null {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.length % BYTES_PER_NUMBER !== 0) return null;
  const vector: number[] = [];
  for (let at = 0; at < bytes.length; at += BYTES_PER_NUMBER) {
    const value = bytes.readFloatLE(at);
    if (!Number.isFinite(value)) return null;
    vector.push(value);
  }
  return vector;
}

/** Converts a provider's vector to the requested encoding. @throws SluiceError provider_invalid_response */
export function encodedVector(provider: string, vector: unknown, encoding: VectorEncoding): WireVector {
  if (typeof vector === 'string') {
    const numbers = fromBase64(vector) ?? invalid(provider);
    return encoding === 'base64' ? vector : numbers;
  }
  if (!isVector(vector)) return invalid(provider);
  return encoding === 'base64' ? toBase64(vector) : vector;
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => Number.isFinite(item));
}

function invalid(provider: string): never {
  throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no embedding' });
}
