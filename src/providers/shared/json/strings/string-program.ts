import {
  bits,
  bytes,
  choose,
  get,
  moduleOf,
  repeat,
  returned,
  sequence,
  set,
  when,
  word,
  type Code,
} from './wasm-code.ts';

/** Strings with more bytes, quotes included, are reported. */
export const LONG_STRING_BYTES = 64;
/** Bytes that are scanned at a time: they stay in the processor's cache. */
export const WINDOW_BYTES = 16 * 1024;
/** In the module's memory: four words of state, then the bounds of long strings, then the window. */
export const [STATE_AT, BOUNDS_AT, WINDOW_AT] = [0, 64, 4096];
export const BLOCK_BYTES = 64;
const PAGES = 1;

const [CONTROL_MAX, QUOTE, ZERO, BACKSLASH, LETTER_A, LETTER_U] = [0x1f, 0x22, 0x30, 0x5c, 0x61, 0x75];
const LOWER_CASE = 0x20;
/** Every second byte of a block, as a signed integer. */
const ODD = bits.of(BigInt.asIntN(64, 0xaaaa_aaaa_aaaa_aaaan));

/** Of the characters behind a backslash, `"\/bfnrtu`: bits by their lower and by their upper four bits, which have one in common. */
const lowerHalves = [0, 0, 0b1101, 0, 0b1000, 0b1000, 0b0100, 0, 0, 0, 0, 0, 0b0010, 0, 0b0100, 0b0001];
const upperHalves = [0, 0, 0b0001, 0, 0, 0b0010, 0b0100, 0b1000, 0, 0, 0, 0, 0, 0, 0, 0];

/** @param OFFSET of the window's bytes in the text, less their address; @param END the address behind them */
const [OFFSET, END] = [0, 1];
const WORDS = 4;
const [AT, BOUNDS, POSITION, START] = [2, 3, 4, 5];
const BITS = 8;
const [QUOTES, BACKSLASHES, CODES, ESCAPED, IN_STRING] = [6, 7, 8, 9, 10];
/** What a block leaves to the next: whether it ends in a string, its first byte is escaped, and its first bytes are hexadecimal. */
const [IS_INSIDE, CARRY, HEX_CARRY] = [11, 12, 13];
/** A block. */
const vectors = [14, 15, 16, 17];

type Test = (vector: Code) => Code;

const fail = returned(word.of(-1));
const isByte =
  (value: number): Test =>
  (vector) =>
    bytes.areEqual(vector, bytes.all(value));
const isAtMost = (value: Code, max: number): Code => bytes.areEqual(bytes.min(value, bytes.all(max)), value);
const isControl: Test = (vector) => isAtMost(vector, CONTROL_MAX);
const isSpecial: Test = (vector) =>
  bytes.or(bytes.or(isByte(QUOTE)(vector), isByte(BACKSLASH)(vector)), isControl(vector));
/** Bytes that may not follow a backslash. */
const isNoEscape: Test = (vector) =>
  bytes.areEqual(
    bytes.and(
      bytes.lookUp(bytes.of(lowerHalves), bytes.and(vector, bytes.all(0x0f))),
      bytes.lookUp(bytes.of(upperHalves), bytes.and(bytes.shiftPairsRight(vector, 4), bytes.all(0x0f))),
    ),
    bytes.all(0),
  );
const isHexDigit: Test = (vector) =>
  bytes.or(
    isAtMost(bytes.subtract(vector, bytes.all(ZERO)), 9),
    isAtMost(bytes.subtract(bytes.or(vector, bytes.all(LOWER_CASE)), bytes.all(LETTER_A)), 5),
  );

/** The bytes of the block that pass a test. */
const where = (test: Test): Code =>
  vectors
    .map((vector, index) => bits.shiftLeft(bits.ofWord(bytes.mask(test(get(vector)))), 16 * index))
    .reduce((all, part) => bits.or(all, part));

/** Which bytes an odd number of backslashes precedes, without a branch. Source: simdjson, `json_escape_scanner`. */
const findEscaped = sequence(
  set(CODES, bits.and(get(BACKSLASHES), bits.not(get(CARRY)))),
  set(CODES, bits.xor(bits.subtract(bits.or(bits.shiftLeft(get(CODES), 1), ODD), get(CODES)), ODD)),
  set(ESCAPED, bits.xor(get(CODES), bits.or(get(BACKSLASHES), get(CARRY)))),
  set(CARRY, bits.shiftRight(bits.and(get(CODES), get(BACKSLASHES)), 63)),
  set(QUOTES, bits.and(get(QUOTES), bits.not(get(ESCAPED)))),
);

/** From each opening quote to the byte before the closing one. */
const findStrings = sequence(
  set(IN_STRING, get(QUOTES)),
  ...[1, 2, 4, 8, 16, 32].map((by) => set(IN_STRING, bits.xor(get(IN_STRING), bits.shiftLeft(get(IN_STRING), by)))),
  set(IN_STRING, bits.xor(get(IN_STRING), get(IS_INSIDE))),
  set(IS_INSIDE, bits.spreadRight(get(IN_STRING), 63)),
);

/** Behind `\u`. */
const digits = [1, 2, 3, 4];
const checkEscapes = sequence(
  when(bits.isAny(bits.and(get(ESCAPED), where(isNoEscape))), fail),
  set(CODES, bits.and(get(ESCAPED), where(isByte(LETTER_U)))),
  set(
    ESCAPED,
    digits.reduce((all, by) => bits.or(all, bits.shiftLeft(get(CODES), by)), get(HEX_CARRY)),
  ),
  set(
    HEX_CARRY,
    digits.map((by) => bits.shiftRight(get(CODES), 64 - by)).reduce((all, part) => bits.or(all, part)),
  ),
  when(bits.isAny(get(ESCAPED)), when(bits.isAny(bits.and(get(ESCAPED), bits.not(where(isHexDigit)))), fail)),
);

const reportLong = when(
  word.isAtLeast(word.subtract(get(POSITION), get(START)), word.of(LONG_STRING_BYTES)),
  word.store(get(BOUNDS), get(START)),
  word.store(word.add(get(BOUNDS), word.of(4)), word.add(get(POSITION), word.of(1))),
  set(BOUNDS, word.add(get(BOUNDS), word.of(8))),
);

const visitQuotes = when(
  bits.isAny(get(QUOTES)),
  repeat(
    sequence(
      set(POSITION, word.add(word.add(bits.asWord(bits.lowest(get(QUOTES))), get(AT)), get(OFFSET))),
      set(QUOTES, bits.and(get(QUOTES), bits.subtract(get(QUOTES), bits.of(1n)))),
      choose(word.isNegative(get(START)), set(START, get(POSITION)), sequence(reportLong, set(START, word.of(-1)))),
    ),
    bits.isAny(get(QUOTES)),
  ),
);

const scanBlock = sequence(
  ...vectors.map((vector, index) => set(vector, bytes.load(get(AT), 16 * index))),
  when(
    word.or(
      bytes.isAny(vectors.map((vector) => isSpecial(get(vector))).reduce((all, part) => bytes.or(all, part))),
      bits.isAny(bits.or(get(CARRY), get(HEX_CARRY))),
    ),
    set(QUOTES, where(isByte(QUOTE))),
    set(BACKSLASHES, where(isByte(BACKSLASH))),
    set(ESCAPED, bits.of(0n)),
    when(bits.isAny(bits.or(get(BACKSLASHES), get(CARRY))), findEscaped),
    findStrings,
    when(bits.isAny(bits.and(where(isControl), get(IN_STRING))), fail),
    set(ESCAPED, bits.and(get(ESCAPED), get(IN_STRING))),
    when(bits.isAny(bits.or(get(ESCAPED), get(HEX_CARRY))), checkEscapes),
    visitQuotes,
  ),
  set(AT, word.add(get(AT), word.of(BLOCK_BYTES))),
);

const carried = [IS_INSIDE, CARRY, HEX_CARRY];
const stateAt = (index: number): Code => word.of(STATE_AT + 4 * index);
const startAt = stateAt(carried.length);

const code = sequence(
  ...carried.map((local, index) => set(local, bits.ofWord(word.load(stateAt(index))))),
  set(START, word.load(startAt)),
  set(BOUNDS, word.of(BOUNDS_AT)),
  set(AT, word.of(WINDOW_AT)),
  repeat(scanBlock, word.isLess(get(AT), get(END))),
  ...carried.map((local, index) => word.store(stateAt(index), bits.asWord(get(local)))),
  word.store(startAt, get(START)),
  word.subtract(get(BOUNDS), word.of(BOUNDS_AT)),
);

/**
 * Scans one window of a JSON text: 64 bytes at a time, without a branch per escape. It returns the bytes of the bounds that it
 * wrote, or -1 for a control character or an unknown escape in a string.
 */
export function stringProgram(): Uint8Array {
  return moduleOf({ params: 2, words: WORDS, bits: BITS, vectors: vectors.length, code }, PAGES);
}
