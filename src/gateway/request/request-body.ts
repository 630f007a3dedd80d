import type { Capability } from '../capabilities/capability.ts';
import type { Outline } from '../capabilities/outline.ts';
import { type RequestInput, release, valueOf } from '../request-input.ts';

interface ParsedBody<Request> {
  readonly request: Request;
  /** The outline that the request was parsed from; null where it was parsed completely. */
  readonly outline: Outline | null;
}

/**
 * The body of a request: as received, and parsed while that is needed. Released once a response arrives: prompts are
 * long, and thousands of requests may be open.
 */
export class RequestBody<Request> {
  #input: RequestInput | null;
  #parsed: ParsedBody<Request> | null = null;

  constructor(input: RequestInput) {
    this.#input = input;
  }

  /** Null once released. */
  get input(): RequestInput | null {
    return this.#input;
  }

  replace(input: Buffer): void {
    this.#input = input;
    this.#parsed = null;
  }

  setParsed(parsed: ParsedBody<Request>): void {
    this.#parsed = parsed;
  }

  /** Takes the body for one attempt. A further attempt parses the input again. */
  take<Summary>(capability: Capability<Request, Summary>): ParsedBody<Request> & { readonly input: RequestInput } {
    if (this.#input === null) throw new Error('the body is released');
    const { request, outline } = this.#parsed ?? { request: capability.parse(valueOf(this.#input)), outline: null };
    this.#parsed = null;
    return { input: this.#input, request, outline };
  }

  release(): void {
    release(this.#input);
    this.#input = null;
    this.#parsed = null;
  }
}
