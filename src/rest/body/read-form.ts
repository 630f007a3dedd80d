import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { SluiceError, toSluiceError } from '../../errors/index.ts';
import { mediaGcPressure } from '../../gateway/metrics/gc-pressure.ts';
import { FormDigest } from '../../gateway/idempotency/input-digest.ts';
import type { FormInput } from '../../gateway/request-input.ts';
import type { ReadInput } from '../capability-route.ts';
import { drainRequest } from '../http/drain-request.ts';
import { FormFields, fieldName, shownName } from './form-fields.ts';
import { IDEMPOTENCY_KEY } from '../idempotency/idempotency-key.ts';
import { SpooledFile } from '../files/spooled-file.ts';
import type { UploadFolder } from '../files/upload-folder.ts';
import { writeFault, type Uploader, type UploadTicket } from '../files/upload-space.ts';
import { requireForm } from '../headers/request-headers.ts';

/** Limits of a form. Sizes in bytes. */
export interface FormLimits {
  /** Names of file fields, without brackets. Files under other names are rejected. */
  readonly files: readonly string[];
  readonly maxFiles: number;
  /** Per file. */
  readonly fileBytes: number;
  readonly maxFields: number;
  /** Per text field. */
  readonly fieldBytes: number;
  /** Text fields that may be longer, by complete name including brackets. Each is accepted once. */
  readonly longFields?: readonly string[];
  readonly longFieldBytes?: number;
  /** Of the complete body. */
  readonly bytes: number;
}

const MAX_NAME_LENGTH = 256;
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
  readonly #fields = new FormFields();
  readonly #files: SpooledFile[] = [];
  readonly #longFields = new Set<string>();
  readonly #digest: FormDigest | undefined;
  #ticket: UploadTicket | null = null;
  #bytes = 0;
  #textBytes = 0;
  /** Files that are still being written. */
  #writing = 0;
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
    if (request.headers[IDEMPOTENCY_KEY] !== undefined) this.#digest = new FormDigest();
    const { 'content-type': contentType = '' } = request.headers;
    if (!/;\s*boundary=\s*("[^"]|[^\s;"])/i.test(contentType)) throw invalid('its content type has no boundary');
    this.#parser = new Busboy({
      headers: { ...request.headers, 'content-type': contentType },
      // Long texts are read as files, because the parser has one length limit for all texts.
      isPartAFile: (name, type, filename) =>
        filename !== undefined ||
        (name !== undefined && (type === 'text/plain' ? this.#mayBeLong(name) : this.#mayBeFile(name))),
      limits: {
        fileSize: limits.fileBytes,
        fieldSize: limits.fieldBytes,
        files: limits.maxFiles + (limits.longFields?.length ?? 0),
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
    const { maxFiles, maxFields } = this.#limits;
    this.#parser
      .on('file', (name, stream, filename, _encoding, type) =>
        this.#guarded(() => this.#file(name, stream, filename, type)),
      )
      .on('field', (name, value, _nameCut, cut) => this.#guarded(() => this.#field(name, value, cut)))
      .on('filesLimit', () => this.#refuse(new SluiceError('too_many_files', { values: { limit: maxFiles } })))
      .on('fieldsLimit', () => this.#refuse(new SluiceError('too_many_fields', { values: { limit: maxFields } })))
      .on('error', (error) => this.#refuse(invalid(reasonOf(error))))
      .on('finish', () => {
        this.#parsed = true;
        this.#finish();
      });
    request.pipe(this.#parser);
  }

  #mayBeFile(name: string): boolean {
    return this.#limits.files.includes(fieldName(name));
  }

  #mayBeLong(name: string): boolean {
    return this.#limits.longFields?.includes(name) ?? false;
  }

  #field(name: string | undefined, value: string, cut: boolean): void {
    checkName(name);
    if (cut) throw tooLong(name, this.#limits.fieldBytes);
    this.#textBytes += Buffer.byteLength(value);
    this.#digest?.field(name, value);
    this.#fields.add(name, value);
  }

  #longField(name: string, stream: BusboyFileStream): void {
    if (this.#longFields.has(name)) throw invalid(`the field '${shownName(name)}' is sent twice`);
    this.#longFields.add(name);
    const { longFieldBytes = this.#limits.fieldBytes } = this.#limits;
    const parts: Buffer[] = [];
    let length = 0;
    this.#writing++;
    stream
      .on('data', (part: Buffer) => {
        length += part.length;
        if (length <= longFieldBytes && !this.#over) {
          parts.push(part);
          return;
        }
        parts.length = 0;
        this.#refuse(tooLong(name, longFieldBytes));
      })
      .on('end', () => {
        this.#guarded(() => this.#field(name, Buffer.concat(parts).toString(), false));
        this.#writing--;
        this.#finish();
      });
  }

  #file(name: string | undefined, stream: BusboyFileStream, filename: string | undefined, type: string): void {
    // The parser reports the same error.
    stream.on('error', () => undefined);
    checkName(name);
    if (filename === undefined && type === 'text/plain') {
      this.#longField(name, stream);
      return;
    }
    if (!this.#mayBeFile(name))
      throw new SluiceError('unexpected_file', {
        param: shownName(name),
        values: { expected: this.#limits.files.map((file) => `'${file}'`).join(' or ') },
      });
    const { maxFiles } = this.#limits;
    if (this.#files.length >= maxFiles) throw new SluiceError('too_many_files', { values: { limit: maxFiles } });
    // The parser's default type is text/plain.
    const contentType = type === 'text/plain' ? 'application/octet-stream' : type;
    const file = new SpooledFile(this.#folder.newPath(), filename === undefined ? '' : filename, contentType);
    this.#files.push(file);
    this.#fields.add(name, file);
    this.#writing++;
    stream.on('limit', () =>
      this.#refuse(
        new SluiceError('file_too_large', { param: shownName(name), values: { limit: this.#limits.fileBytes } }),
      ),
    );
    file.writer
      .on('error', (error) => this.#refuse(writeFault(error)))
      .on('close', () => {
        this.#writing--;
        this.#finish();
      });
    const digest = this.#digest?.file(name, filename, contentType);
    if (digest) stream.on('data', (part: Buffer) => digest.update(part));
    stream.pipe(file.writer);
  }

  #finish(): void {
    if (this.#over || !this.#parsed || this.#writing > 0) return;
    // The client disconnected before all files were written.
    if (this.#request.socket.destroyed) {
      this.#dismiss();
      return;
    }
    this.#over = true;
    const digest = this.#digest;
    const input: FormInput = {
      fields: this.#fields.value(),
      textBytes: this.#textBytes,
      digest: digest && (() => digest.digest()),
      release: () => this.#removeFiles(),
    };
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
    void Promise.all(this.#files.map((file) => file.remove())).then(() => this.#ticket?.free());
  }

  #tooLarge(): SluiceError {
    return new SluiceError('request_too_large', { values: { limit: this.#limits.bytes } });
  }
}

/** @throws SluiceError invalid_form */
function checkName(name: string | undefined): asserts name is string {
  if (name === undefined || name === '') throw invalid('one of its parts has no name');
  if (name.length > MAX_NAME_LENGTH) throw invalid(`the name of the field '${shownName(name)}' is too long`);
}

function tooLong(name: string, limit: number): SluiceError {
  return new SluiceError('field_too_large', { param: shownName(name), values: { limit } });
}

function invalid(reason: string): SluiceError {
  return new SluiceError('invalid_form', { values: { reason } });
}

function reasonOf(error: unknown): string {
  return error instanceof Error && error.message.startsWith('Unexpected end')
    ? 'it ends before its last boundary'
    : 'its parts could not be separated';
}
