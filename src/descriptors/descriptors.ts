import { closeSync, openSync } from 'node:fs';
import { descriptorLimit } from './descriptor-limit.ts';

/** Shares of the limit, with bounds: what stays free at a low limit must be enough, and at a high one not be a waste. */
const RESERVED = { share: 1 / 16, min: 16, max: 256 };
const ANSWERING = { share: 1 / 8, min: 32, max: 512 };

/** Room for a new connection: `full` for its requests, `refusal` only for a response that refuses them. */
export type ConnectionRoom = 'full' | 'refusal' | 'none';

/**
 * What the process may still open. The system gives the lowest number that is free, so a number at or above a bound shows that all
 * numbers below it are in use: nothing has to be counted.
 */
export class Descriptors {
  readonly limit: number | null;
  /** From this number on descriptors are left to files and the database: usage is recorded whatever connections need. */
  readonly #reservedFrom: number;
  /** From this number on clients are answered with an error. */
  readonly #refusedFrom: number;
  readonly #probed: string;

  /**
   * @param limit null where it is not known: then only the errors of the system count
   * @param probed a file that is opened to learn the lowest number that is free
   */
  constructor(limit: number | null, probed = '/dev/null') {
    this.limit = limit;
    this.#probed = probed;
    this.#reservedFrom = limit === null ? Infinity : limit - partOf(limit, RESERVED);
    this.#refusedFrom = limit === null ? Infinity : this.#reservedFrom - partOf(limit, ANSWERING);
  }

  /** @param descriptor of the accepted connection; -1 where it has none */
  roomFor(descriptor: number): ConnectionRoom {
    if (descriptor < this.#refusedFrom) return 'full';
    return descriptor < this.#reservedFrom ? 'refusal' : 'none';
  }

  /** Whether a connection to another host may be opened. It costs two system calls, a small part of a connection. */
  get canDial(): boolean {
    if (this.limit === null) return true;
    try {
      const descriptor = openSync(this.#probed, 'r');
      closeSync(descriptor);
      return descriptor < this.#reservedFrom;
    } catch (error) {
      // A file that is missing or not allowed says nothing of descriptors.
      return !isOutOfDescriptors(error);
    }
  }
}

/** Of this process. */
export const descriptors = new Descriptors(descriptorLimit());

/** As the system reports it. */
export function noDescriptor(): Error {
  return Object.assign(new Error('EMFILE: the remaining file descriptors are reserved'), {
    code: 'EMFILE',
    syscall: 'connect',
  });
}

function isOutOfDescriptors(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
}

function partOf(limit: number, { share, min, max }: typeof RESERVED): number {
  // Of a tiny limit the bounds would leave nothing.
  return Math.min(max, Math.max(min, Math.floor(limit * share)), Math.floor(limit / 4));
}
