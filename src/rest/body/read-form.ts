import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { SluiceError, toSluiceError } from '../../errors/index.ts';
import { mediaGcPressure } from '../../gateway/metrics/gc-pressure.ts';
import { FormDigest } from '../../gateway/idempotency/input-digest.ts';
import type { FormInput } from '../../gateway/request-input.ts';
import type { ReadInput } from '../capability-route.ts';
import { drainRequest } from '../http/drain-request.ts';
import { FormParts, invalidForm, type FormLimits } from './form-parts.ts';
import { IDEMPOTENCY_KEY } from '../idempotency/idempotency-key.ts';
import type { UploadFolder } from '../files/upload-folder.ts';
import type { Uploader, UploadTicket } from '../files/upload-space.ts';
import { requireForm } from '../headers/request-headers.ts';

/** Per part. */
const HEADER_BYTES = 16 * 1024;

/** Maximum size of a form with `files` files of `fileBytes`, including its other parts. */
export function formBytes(files: number, fileBytes: number): number {
  return files * fileBytes + 1024 * 1024;
}

/**
 * Reads a `multipart/form-data` body. Files are streamed to disk and deleted when the input is released, when the form is
 * rejected, or when the client disconnects. Source: RFC 7578.
 */
export function readForm(folder: UploadFolder, limits: FormLimits): ReadInput {
  return (request, key, done, fail) => {
    let reading: FormReading;
    try {
      requireForm(request);
      reading = new FormReading(folder, limits, request, done, fail);
    } catch (error) {
      drainRequest(request, () => fail(toSluiceError(error)));
      return;
    }
    reading.begin(key);
  };
}

class FormReading {
  readonly #folder: UploadFolder;
  readonly #limits: FormLimits;
  readonly #request: IncomingMessage;
  readonly #done: (input: FormInput) => void;
  readonly #fail: (error: SluiceError) => void;
  readonly #parser: BusboyInstance;
  readonly #parts: FormParts;
  #ticket: UploadTicket | null = null;
  #bytes = 0;
  #parsed = false;
  #over = false;

  /** @throws SluiceError invalid_form */
  constructor(
    folder: UploadFolder,
    limits: FormLimits,
    request: IncomingMessage,
    done: (input: FormInput) => void,
    fail: (error: SluiceError) => void,
  ) {
    this.#folder = folder;
    this.#limits = limits;
    this.#request = request;
    this.#done = done;
    this.#fail = fail;
    const digest = request.headers[IDEMPOTENCY_KEY] === undefined ? undefined : new FormDigest();
    this.#parts = new FormParts(folder, limits, digest, {
      isOver: () => this.#over,
      guarded: (handle) => this.#guarded(handle),
      refuse: (error) => this.#refuse(error),
      onWritten: () => this.#finish(),
    });
    const { 'content-type': contentType = '' } = request.headers;
    if (!/;\s*boundary=\s*("[^"]|[^\s;"])/i.test(contentType)) throw invalidForm('its content type has no boundary');
    this.#parser = new Busboy({
      headers: { ...request.headers, 'content-type': contentType },
      isPartAFile: (name, type, filename) => this.#parts.isFile(name, type, filename),
      limits: {
        fileSize: limits.fileBytes,
        fieldSize: limits.fieldBytes,
        fields: limits.maxFields,
        headerSize: HEADER_BYTES,
      },
    });
  }

  begin(key: Uploader): void {
    const request = this.#request;
    const announced = Number(request.headers['content-length'] ?? 0);
    try {
      if (announced > this.#limits.bytes) throw this.#tooLarge();
      this.#ticket = this.#folder.space.begin(key, announced);
    } catch (error) {
      this.#refuse(toSluiceError(error));
      return;
    }
    // If the client disconnects before the end, the files are deleted and neither callback is called.
    request
      .on('error', () => this.#dismiss())
      .on('close', () => {
        if (!request.complete) this.#dismiss();
      });
    request.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length;
      mediaGcPressure.add(chunk.length);
      if (this.#bytes > this.#limits.bytes) this.#refuse(this.#tooLarge());
      else this.#guarded(() => this.#ticket?.take(chunk.length));
    });
    const { maxFields } = this.#limits;
    this.#parser
      .on('file', (name, stream, filename, _encoding, type) =>
        this.#guarded(() => this.#parts.file(name, stream, filename, type)),
      )
      .on('field', (name, value, _nameCut, cut) => this.#guarded(() => this.#parts.field(name, value, cut)))
      .on('fieldsLimit', () => this.#refuse(new SluiceError('too_many_fields', { values: { limit: maxFields } })))
      .on('error', (error) => this.#refuse(invalidForm(reasonOf(error))))
      .on('finish', () => {
        this.#parsed = true;
        this.#finish();
      });
    request.pipe(this.#parser);
  }

  #finish(): void {
    if (this.#over || !this.#parsed || this.#parts.isWriting) return;
    // The client disconnected before all files were written.
    if (this.#request.socket.destroyed) {
      this.#dismiss();
      return;
    }
    this.#over = true;
    const input: FormInput = { ...this.#parts.content(), release: () => this.#removeFiles() };
    try {
      this.#done(input);
    } catch (error) {
      this.#removeFiles();
      this.#fail(toSluiceError(error));
    }
  }

  #guarded(handle: () => void): void {
    if (this.#over) return;
    try {
      handle();
    } catch (error) {
      this.#refuse(toSluiceError(error));
    }
  }

  #refuse(error: SluiceError): void {
    if (this.#over) return;
    this.#dismiss();
    drainRequest(this.#request, () => this.#fail(error));
  }

  #dismiss(): void {
    if (this.#over) return;
    this.#over = true;
    this.#request.unpipe(this.#parser);
    this.#removeFiles();
  }

  #removeFiles(): void {
    this.#ticket?.leave();
    void this.#parts.removeFiles().then(() => this.#ticket?.free());
  }

  #tooLarge(): SluiceError {
    return new SluiceError('request_too_large', { values: { limit: this.#limits.bytes } });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error && error.message.startsWith('Unexpected end')
    ? 'it ends before its last boundary'
    : 'its parts could not be separated';
}
