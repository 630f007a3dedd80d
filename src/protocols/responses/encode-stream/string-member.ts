const escaped: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
/** Where a run of plain characters of a string ends. */
const SPECIAL = /["\\]/g;
const HIGH_SURROGATE = /[\ud800-\udbff]$/;

/**
 * Reads one text member of a JSON object that arrives in pieces, cut at any position. A surrogate pair stays together. Raw control
 * characters and unknown escapes, which JSON does not allow, are read as they are.
 */
export class StringMember {
  /** What was read so far. */
  value = '';
  /** Whether the object has the member, as a text. */
  isFound = false;
  readonly #name: string;
  #depth = 0;
  #expectsKey = false;
  #key = '';
  /** The string that is being read. */
  #string: 'key' | 'member' | 'other' | null = null;
  /** Of an incomplete escape, without the backslash; null outside of one. */
  #escape: string | null = null;
  /** A surrogate that may be half of a pair. */
  #held = '';
  #isOver = false;

  constructor(name: string) {
    this.#name = name;
  }

  /** @returns the next part of the text; empty for none */
  push(json: string): string {
    const before = this.value.length;
    for (let at = 0; at < json.length && !this.#isOver;)
      at = this.#string === null ? this.#structure(json, at) : this.#text(json, at);
    return this.value.slice(before);
  }

  /** What is left where the object ends early. */
  end(): string {
    const before = this.value.length;
    if (this.#string === 'member') this.#closeText();
    this.#isOver = true;
    return this.value.slice(before);
  }

  /** @returns the position of the next character */
  #structure(json: string, at: number): number {
    switch (json[at]) {
      case '"':
        this.#string = this.#kindOfString();
        if (this.#string === 'key') [this.#expectsKey, this.#key] = [false, ''];
        this.isFound ||= this.#string === 'member';
        break;
      case '{':
        this.#expectsKey = ++this.#depth === 1;
        break;
      case '[':
        // A list has no members.
        this.#isOver = this.#depth++ === 0;
        break;
      case '}':
      case ']':
        this.#isOver = --this.#depth <= 0;
        break;
      case ',':
        this.#expectsKey = this.#depth === 1;
        break;
      default:
    }
    return at + 1;
  }

  #kindOfString(): 'key' | 'member' | 'other' {
    if (this.#depth !== 1) return 'other';
    if (this.#expectsKey) return 'key';
    return this.#key === this.#name ? 'member' : 'other';
  }

  #text(json: string, at: number): number {
    if (this.#escape !== null) return this.#continueEscape(json, at, this.#escape);
    SPECIAL.lastIndex = at;
    const end = SPECIAL.exec(json)?.index ?? json.length;
    if (end > at) {
      this.#add(json.slice(at, end));
      return end;
    }
    if (json[at] === '\\') this.#escape = '';
    else if (this.#string === 'member') this.#closeText();
    else this.#string = null;
    return at + 1;
  }

  #continueEscape(json: string, at: number, read: string): number {
    const escape = read + (json[at] ?? '');
    const isUnicode = escape.startsWith('u');
    if (isUnicode && escape.length < 5 && /^u[\da-f]*$/i.test(escape)) {
      this.#escape = escape;
      return at + 1;
    }
    this.#escape = null;
    if (!isUnicode) {
      this.#add(escaped[escape] ?? (/["\\/]/.test(escape) ? escape : `\\${escape}`));
      return at + 1;
    }
    if (/^u[\da-f]{4}$/i.test(escape)) {
      this.#add(String.fromCharCode(Number.parseInt(escape.slice(1), 16)));
      return at + 1;
    }
    // An escape that the text does not complete: its last character is read again.
    this.#add(`\\${read}`);
    return at;
  }

  #add(text: string): void {
    if (this.#string === 'key') this.#key += text;
    if (this.#string !== 'member') return;
    const joined = this.#held + text;
    this.#held = HIGH_SURROGATE.exec(joined)?.[0] ?? '';
    this.value += joined.slice(0, joined.length - this.#held.length);
  }

  #closeText(): void {
    this.value += this.#held + (this.#escape === null ? '' : `\\${this.#escape}`);
    [this.#held, this.#escape, this.#string, this.#isOver] = ['', null, null, true];
  }
}
