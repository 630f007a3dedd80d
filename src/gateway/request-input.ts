import { SluiceError } from '../errors/index.ts';
import { isObject, type JsonObject } from '../protocols/canonical/json-members.ts';
import { parseJsonBody } from './capabilities/json-body.ts';

/** Files of a form. */
export type { UploadedFile } from '../providers/shared/http/uploaded-file.ts';

/** The fields and files of a form, parsed by a capability as one value. */
export interface FormInput {
  /** Texts, `UploadedFile`s, and lists of them, by the fields' names. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Bytes of its text fields. */
  readonly textBytes: number;
  /** A digest of its content; present where the request has an idempotency key. */
  readonly digest?: (() => Buffer) | undefined;
  /** Removes its files. Called once the request has ended in any way. */
  release(): void;
}

/** The input of a request: a JSON body, or a form. */
export type RequestInput = Buffer | FormInput;

/** A body that is parsed already, with its value. */
export interface ParsedInput {
  readonly input: RequestInput;
  readonly value: unknown;
}

/** @throws SluiceError invalid_json */
export function valueOf(input: RequestInput): unknown {
  return Buffer.isBuffer(input) ? parseJsonBody(input) : input.fields;
}

/** A body that is to be an object. @throws SluiceError invalid_json */
export function objectIn(input: RequestInput): JsonObject {
  const body = valueOf(input);
  if (!isObject(body)) throw new SluiceError('invalid_json', { values: { reason: 'the body must be an object' } });
  return body;
}

/** Bytes that count as text. */
export function textBytesOf(input: RequestInput): number {
  return Buffer.isBuffer(input) ? input.length : input.textBytes;
}

export function release(input: RequestInput | null): void {
  if (input !== null && !Buffer.isBuffer(input)) input.release();
}

const BYTES_PER_TOKEN = 4;

/** Estimates a body's tokens: counting them exactly would cost more than relaying them. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** Tokens that a stream without an output limit reserves at a time. */
export const STREAM_STEP_TOKENS = 1_024;
