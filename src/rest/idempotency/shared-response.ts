import { ServerResponse } from 'node:http';
import type { Response } from 'express';
import { headerPairs } from '../headers/response-headers.ts';
import { REPLAYED, sendHead, type ResponseFrame } from './response-frame.ts';

/** Maximum size of a recorded response. A longer one cannot be joined or replayed. */
const MAX_RECORDED_BYTES = 16 * 1024 * 1024;
/** Maximum unread bytes of a reader that is slower than others. */
const MAX_UNREAD_BYTES = 2 * MAX_RECORDED_BYTES;
/** Total size of all responses that are being recorded. */
const MAX_RECORDING_BYTES = 128 * 1024 * 1024;
const MAX_READERS = 1_000;
/** Headers specific to a connection. */
const OF_CONNECTION = /^(connection|date|keep-alive|transfer-encoding)$/i;

export interface RecordedResponse extends ResponseFrame {
  /** Null if it is too large to be stored. */
  readonly chunks: readonly Buffer[] | null;
}

interface Reader {
  readonly onDrain: () => void;
  readonly onClose: () => void;
  isSaturated: boolean;
}

let recordingBytes = 0;

/**
 * A response that several clients read. A route writes to `response`, which has no connection of its own. Later readers also
 * receive what was written before. It closes when its last reader disconnects, and its back-pressure follows the fastest reader.
 */
export class SharedResponse {
  readonly response: Response;
  /** Called at the end; with null if the response was interrupted. */
  onEnd: (answer: RecordedResponse | null) => void = () => undefined;
  readonly #readers = new Map<Response, Reader>();
  #chunks: Buffer[] | null = [];
  /** Size of `#chunks`. */
  #bytes = 0;
  #frame: ResponseFrame | null = null;
  #trailers: ResponseFrame['trailers'] = [];
  #isOver = false;

  constructor(first: Response) {
    const response: Response = Object.setPrototypeOf(new ServerResponse(first.req), Object.getPrototypeOf(first));
    this.response = Object.assign(response, {
      locals: first.locals,
      shouldKeepAlive: first.shouldKeepAlive,
      write: (chunk: string | Uint8Array, encoding?: BufferEncoding) => this.#write(toBuffer(chunk, encoding)),
      end: (chunk?: string | Uint8Array | null, encoding?: BufferEncoding) => this.#end(chunk, encoding),
      flushHeaders: () => void this.#head(),
      destroy: () => this.#destroy(),
      addTrailers: (trailers: Readonly<Record<string, string>>) => (this.#trailers = Object.entries(trailers)),
    });
    for (const [name, value] of Object.entries(first.getHeaders()))
      if (value !== undefined) response.setHeader(name, value);
    this.#add(first);
  }

  /** Whether more clients can read it from its start. */
  get isJoinable(): boolean {
    return this.#chunks !== null;
  }

  get hasRoom(): boolean {
    return this.#readers.size < MAX_READERS;
  }

  get hasReaders(): boolean {
    return this.#readers.size > 0;
  }

  join(reader: Response): void {
    if (reader.destroyed) return;
    reader.setHeader(REPLAYED, 'true');
    this.#add(reader);
    if (this.#frame === null) return;
    sendHead(reader, this.#frame);
    for (const chunk of this.#chunks ?? []) reader.write(chunk);
    // The new reader may be faster than the others.
    this.response.emit('drain');
  }

  /** Detaches the only reader, for another response. */
  leave(): Response | null {
    const [first] = this.#readers.keys();
    if (first === undefined) return null;
    this.#remove(first);
    return first;
  }

  #add(reader: Response): void {
    const onDrain = (): void => {
      entry.isSaturated = false;
      this.response.emit('drain');
    };
    const onClose = (): void => {
      this.#remove(reader);
      if (this.#readers.size === 0) this.#close();
    };
    const entry: Reader = { onDrain, onClose, isSaturated: false };
    this.#readers.set(reader, entry);
    reader.on('drain', onDrain).on('close', onClose);
  }

  #remove(reader: Response): void {
    const entry = this.#readers.get(reader);
    if (entry === undefined) return;
    this.#readers.delete(reader);
    reader.off('drain', entry.onDrain).off('close', entry.onClose);
  }

  #close(): void {
    this.response.destroyed = true;
    if (!this.#isOver) this.#over(null);
    this.response.emit('close');
  }

  #write(chunk: Buffer): boolean {
    this.#head();
    this.#record(chunk);
    let hasRoom = false;
    for (const [reader, entry] of this.#readers) {
      if (!reader.write(chunk)) entry.isSaturated = true;
      if (!entry.isSaturated) hasRoom = true;
      else if (this.#readers.size > 1 && reader.writableLength > MAX_UNREAD_BYTES) reader.destroy();
    }
    return hasRoom;
  }

  #end(given: string | Uint8Array | null | undefined, encoding?: BufferEncoding): Response {
    if (this.#isOver) return this.response;
    const frame = this.#head();
    const last = given === null || given === undefined ? null : toBuffer(given, encoding);
    if (last !== null) this.#record(last);
    for (const reader of this.#readers.keys()) {
      if (this.#trailers.length > 0) reader.addTrailers(Object.fromEntries(this.#trailers));
      reader.end(last);
    }
    this.#over({ ...frame, trailers: this.#trailers, chunks: this.#chunks });
    return this.response;
  }

  #destroy(): Response {
    for (const reader of this.#readers.keys()) reader.destroy();
    return this.response;
  }

  #over(answer: RecordedResponse | null): void {
    this.#isOver = true;
    this.onEnd(answer);
    this.#forget();
  }

  #record(chunk: Buffer): void {
    if (this.#chunks === null) return;
    const isTooLong = this.#bytes + chunk.length > MAX_RECORDED_BYTES;
    if (isTooLong || recordingBytes + chunk.length > MAX_RECORDING_BYTES) return this.#forget();
    this.#bytes += chunk.length;
    recordingBytes += chunk.length;
    this.#chunks.push(chunk);
  }

  #forget(): void {
    recordingBytes -= this.#bytes;
    this.#bytes = 0;
    this.#chunks = null;
  }

  #head(): ResponseFrame {
    if (this.#frame !== null) return this.#frame;
    const { response } = this;
    if (!response.headersSent) response.writeHead(response.statusCode);
    const [, ...lines] = (response._header ?? '').split('\r\n').filter((line) => line !== '');
    const headers = headerPairs(`${lines.join('\r\n')}\r\n`).filter(([name]) => !OF_CONNECTION.test(name));
    this.#frame = { status: response.statusCode, headers, trailers: [] };
    const closes = response.getHeader('connection') === 'close';
    for (const reader of this.#readers.keys()) {
      if (closes) reader.setHeader('connection', 'close');
      sendHead(reader, this.#frame);
    }
    return this.#frame;
  }
}

function toBuffer(chunk: string | Uint8Array, encoding?: BufferEncoding): Buffer {
  if (typeof chunk === 'string') return Buffer.from(chunk, encoding);
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
}
