import { SluiceError } from '../../errors/index.ts';
import { parseJsonBody } from '../../gateway/capabilities/json-body.ts';

const [QUOTE, BACKSLASH, COMMA, COLON, SPACE] = [0x22, 0x5c, 0x2c, 0x3a, 0x20];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];
const ELEMENT = Buffer.from('0');
/** Of the members besides the array, and the separators in it. */
const MAX_SKELETON_BYTES = 1024 * 1024;

/**
 * Splits a JSON object that arrives in chunks into the elements of one of its arrays, so that it is never held as a whole. The
 * elements are returned as bytes, each to be parsed; `end` checks the rest.
 */
export class RequestSplitter {
  readonly #member: string;
  readonly #maxElementBytes: number;
  /** The object with a number in place of each element. */
  #skeleton: Buffer[] = [];
  #skeletonBytes = 0;
  /** The current element, or null between elements. */
  #element: Buffer[] | null = null;
  #elementBytes = 0;
  #elements = 0;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #isInArray = false;
  /** The last string directly in the object, while it may be a name. */
  #name: number[] = [];
  #isName = false;

  constructor(member: string, maxElementBytes: number) {
    this.#member = member;
    this.#maxElementBytes = maxElementBytes;
  }

  /** @returns the elements that are complete now @throws SluiceError request_too_large | invalid_json */
  push(chunk: Buffer): Buffer[] {
    const complete: Buffer[] = [];
    /** Start of the bytes that are not assigned yet. */
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (this.#isInString) {
        this.#inString(byte);
        continue;
      }
      if (this.#isInArray && this.#depth === 2 && this.#element === null && startsElement(byte)) {
        this.#addSkeleton(chunk.subarray(from, at));
        this.#addSkeleton(ELEMENT);
        this.#element = [];
        from = at;
      } else if (this.#element !== null && this.#depth === 2 && (byte === COMMA || byte === CLOSE_BRACKET)) {
        this.#addElement(chunk.subarray(from, at));
        complete.push(this.#takeElement());
        from = at;
      }
      this.#outsideString(byte);
    }
    const rest = chunk.subarray(from);
    if (this.#element === null) this.#addSkeleton(rest);
    else this.#addElement(rest);
    return complete;
  }

  /** The object, with a number in place of each element. @throws SluiceError invalid_json | duplicate_parameter */
  end(): unknown {
    const value = parseJsonBody(Buffer.concat(this.#skeleton));
    const found: unknown = Object(value)[this.#member];
    if (Array.isArray(found) && found.length !== this.#elements)
      throw new SluiceError('duplicate_parameter', { param: this.#member });
    return value;
  }

  #inString(byte: number): void {
    if (this.#isName) this.#name.push(byte);
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInString = false;
  }

  #outsideString(byte: number): void {
    if (byte === QUOTE) {
      this.#isInString = true;
      this.#isName = this.#depth === 1;
      if (this.#isName) this.#name = [QUOTE];
    } else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      this.#depth++;
      if (this.#depth === 2) this.#isInArray = byte === OPEN_BRACKET && this.#isMember();
    } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
      this.#depth--;
      if (this.#depth < 2) this.#isInArray = false;
    } else if (byte === COMMA && this.#depth === 1) this.#name = [];
    else if (byte !== COLON && byte > SPACE && this.#depth === 1) this.#name = [];
  }

  #isMember(): boolean {
    try {
      return JSON.parse(Buffer.from(this.#name).toString()) === this.#member;
    } catch {
      return false;
    }
  }

  #addSkeleton(bytes: Buffer): void {
    this.#skeletonBytes += bytes.length;
    if (this.#skeletonBytes > MAX_SKELETON_BYTES)
      throw new SluiceError('request_too_large', { values: { limit: MAX_SKELETON_BYTES } });
    if (bytes.length > 0) this.#skeleton.push(Buffer.from(bytes));
  }

  #addElement(bytes: Buffer): void {
    this.#elementBytes += bytes.length;
    if (this.#elementBytes > this.#maxElementBytes)
      throw new SluiceError('request_too_large', { values: { limit: this.#maxElementBytes } });
    this.#element?.push(bytes);
  }

  #takeElement(): Buffer {
    const element = Buffer.concat(this.#element ?? []);
    this.#element = null;
    this.#elementBytes = 0;
    this.#elements++;
    return element;
  }
}

function startsElement(byte: number): boolean {
  return byte > SPACE && byte !== COMMA && byte !== CLOSE_BRACKET;
}
