import { createHash } from 'node:crypto';
import { memberValue } from '../../providers/shared/http/request-body.ts';
import type { UploadedFile } from '../../providers/shared/http/uploaded-file.ts';
import type { RequestInput } from '../request-input.ts';
import { referenceTo } from './recorded-answer.ts';

/** The body of a request, until it is logged. */
export interface RecordedRequest {
  /** Bytes in memory. */
  readonly size: number;
  /** A JSON body; null for a form, and for one that is too long to be logged. */
  readonly json: Buffer | null;
  /** The model as the client named it; null where it did not. */
  readonly model: NamedModel | null;
  /** The fields of a form, without the content of files. */
  readonly fields: Readonly<Record<string, unknown>> | null;
  /** The length of a body that is too long to be logged; 0 otherwise. */
  readonly tooLong: number;
}

interface NamedModel {
  /** In the body. */
  readonly place: Buffer;
  readonly written: Buffer;
}

/** @param maxBytes of a body that is logged */
export function recordedRequest(input: RequestInput, maxBytes: number): RecordedRequest {
  if (Buffer.isBuffer(input)) {
    const isTooLong = input.length > maxBytes;
    return {
      size: isTooLong ? 0 : input.length,
      json: isTooLong ? null : input,
      model: isTooLong ? null : namedModel(input),
      fields: null,
      tooLong: isTooLong ? input.length : 0,
    };
  }
  const { textBytes } = input;
  if (textBytes > maxBytes) return { size: 0, json: null, model: null, fields: null, tooLong: textBytes };
  const fields = Object.fromEntries(Object.entries(input.fields).map(([name, value]) => [name, withoutFiles(value)]));
  return { size: textBytes, json: null, model: null, fields, tooLong: 0 };
}

function namedModel(json: Buffer): NamedModel | null {
  const place = memberValue(json, 'model');
  return place && { place, written: Buffer.from(place) };
}

/** A provider's name of the model is written over the client's in the body itself. Once nothing is sent of it, this undoes that. */
export function restoreModel({ model }: RecordedRequest): void {
  model?.place.set(model.written);
}

/** Resolves when the digests of the files are known. */
export async function whenDigested({ fields }: RecordedRequest): Promise<void> {
  for (const value of Object.values(fields ?? {}).flat()) if (value instanceof FileReference) await value.digested;
}

/** A file of a form. Its content exists only until the request ends: it is opened at the start of it. */
class FileReference {
  readonly digested: Promise<void>;
  readonly #file: Pick<UploadedFile, 'filename' | 'contentType' | 'size'>;
  #sha256: string | null = null;

  constructor(file: UploadedFile) {
    const { filename, contentType, size } = file;
    this.#file = { filename, contentType, size };
    this.digested = this.#digest(file);
  }

  toJSON(): object {
    const { filename, contentType, size } = this.#file;
    return { filename, content: referenceTo({ contentType, bytes: size, sha256: this.#sha256 }) };
  }

  async #digest(file: UploadedFile): Promise<void> {
    try {
      const hash = createHash('sha256');
      for await (const bytes of file.open()) hash.update(bytes as Buffer);
      this.#sha256 = hash.digest('hex');
    } catch {
      // The disk could not be read: the reference stays without a digest.
    }
  }
}

function withoutFiles(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFiles);
  return isUploadedFile(value) ? new FileReference(value) : value;
}

function isUploadedFile(value: unknown): value is UploadedFile {
  return typeof value === 'object' && value !== null && 'open' in value && typeof value.open === 'function';
}
