import type { BusboyFileStream } from '@fastify/busboy';
import { SluiceError } from '../../errors/index.ts';
import type { FormDigest } from '../../gateway/idempotency/input-digest.ts';
import type { FormInput } from '../../gateway/request-input.ts';
import { SpooledFile } from '../files/spooled-file.ts';
import type { UploadFolder } from '../files/upload-folder.ts';
import { writeFault } from '../files/upload-space.ts';
import { FormFields, fieldName, shownName } from './form-fields.ts';

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

/** The reading of the form that the parts belong to. */
export interface PartReading {
  /** Whether the form was rejected, or read to its end. */
  readonly isOver: () => boolean;
  /** Rejects the form if `handle` throws. */
  readonly guarded: (handle: () => void) => void;
  readonly refuse: (error: SluiceError) => void;
  /** Called when all of a part is written. */
  readonly onWritten: () => void;
}

const MAX_NAME_LENGTH = 256;

/** The parts of a form: texts in memory, files on disk. */
export class FormParts {
  readonly #folder: UploadFolder;
  readonly #limits: FormLimits;
  readonly #digest: FormDigest | undefined;
  readonly #reading: PartReading;
  readonly #fields = new FormFields();
  readonly #files: SpooledFile[] = [];
  readonly #longFields = new Set<string>();
  #textBytes = 0;
  /** Parts that are still being written. */
  #writing = 0;

  constructor(folder: UploadFolder, limits: FormLimits, digest: FormDigest | undefined, reading: PartReading) {
    this.#folder = folder;
    this.#limits = limits;
    this.#digest = digest;
    this.#reading = reading;
  }

  get isWriting(): boolean {
    return this.#writing > 0;
  }

  content(): Omit<FormInput, 'release'> {
    const digest = this.#digest;
    return {
      fields: this.#fields.value(),
      textBytes: this.#textBytes,
      digest: digest && (() => digest.digest()),
    };
  }

  async removeFiles(): Promise<void> {
    await Promise.all(this.#files.map((file) => file.remove()));
  }

  /** Long texts are read as files, because the parser has one length limit for all texts. */
  isFile(name: string | undefined, type: string | undefined, filename: string | undefined): boolean {
    if (filename !== undefined) return true;
    return name !== undefined && (type === 'text/plain' ? this.#mayBeLong(name) : this.#mayBeFile(name));
  }

  #mayBeFile(name: string): boolean {
    return this.#limits.files.includes(fieldName(name));
  }

  #mayBeLong(name: string): boolean {
    return this.#limits.longFields?.includes(name) ?? false;
  }

  /** @throws SluiceError invalid_form | field_too_large */
  field(name: string | undefined, value: string, cut: boolean): void {
    checkName(name);
    if (cut) throw tooLong(name, this.#limits.fieldBytes);
    this.#textBytes += Buffer.byteLength(value);
    this.#digest?.field(name, value);
    this.#fields.add(name, value);
  }

  #longField(name: string, stream: BusboyFileStream): void {
    if (this.#longFields.has(name)) throw invalidForm(`the field '${shownName(name)}' is sent twice`);
    this.#longFields.add(name);
    const { longFieldBytes = this.#limits.fieldBytes } = this.#limits;
    const parts: Buffer[] = [];
    let length = 0;
    this.#writing++;
    stream
      .on('data', (part: Buffer) => {
        length += part.length;
        if (length <= longFieldBytes && !this.#reading.isOver()) {
          parts.push(part);
          return;
        }
        parts.length = 0;
        this.#reading.refuse(tooLong(name, longFieldBytes));
      })
      .on('end', () => {
        this.#reading.guarded(() => this.field(name, Buffer.concat(parts).toString(), false));
        this.#writing--;
        this.#reading.onWritten();
      });
  }

  /** @throws SluiceError invalid_form | unexpected_file | too_many_files */
  file(name: string | undefined, stream: BusboyFileStream, filename: string | undefined, type: string): void {
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
    if (this.#files.length >= maxFiles)
      throw new SluiceError('too_many_files', { param: shownName(name), values: { limit: maxFiles } });
    // The parser's default type is text/plain.
    const contentType = type === 'text/plain' ? 'application/octet-stream' : type;
    const file = new SpooledFile(this.#folder.newPath(), filename === undefined ? '' : filename, contentType);
    this.#files.push(file);
    this.#fields.add(name, file);
    this.#writing++;
    stream.on('limit', () =>
      this.#reading.refuse(
        new SluiceError('file_too_large', { param: shownName(name), values: { limit: this.#limits.fileBytes } }),
      ),
    );
    file.writer
      .on('error', (error) => this.#reading.refuse(writeFault(error)))
      .on('close', () => {
        this.#writing--;
        this.#reading.onWritten();
      });
    const digest = this.#digest?.file(name, filename, contentType);
    if (digest) stream.on('data', (part: Buffer) => digest.update(part));
    stream.pipe(file.writer);
  }
}

/** @throws SluiceError invalid_form */
function checkName(name: string | undefined): asserts name is string {
  if (name === undefined || name === '') throw invalidForm('one of its parts has no name');
  if (name.length > MAX_NAME_LENGTH) throw invalidForm(`the name of the field '${shownName(name)}' is too long`);
}

function tooLong(name: string, limit: number): SluiceError {
  return new SluiceError('field_too_large', { param: shownName(name), values: { limit } });
}

export function invalidForm(reason: string): SluiceError {
  return new SluiceError('invalid_form', { values: { reason } });
}
