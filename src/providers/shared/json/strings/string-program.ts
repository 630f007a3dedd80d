import { bytes, choose, get, moduleOf, repeat, returned, sequence, set, when, word, type Code } from './wasm-code.ts';

/** Strings with more bytes, quotes included, are reported. */
export const LONG_STRING_BYTES = 64;
/** Bytes that are scanned at a time: they stay in the processor's cache. */
export const WINDOW_BYTES = 16 * 1024;
/** In the module's memory: four words of state, then the bounds of long strings, then the window. */
export const [STATE_AT, BOUNDS_AT, WINDOW_AT] = [0, 64, 4096];
export const BLOCK_BYTES = 16;
const PAGES = 1;

const [CONTROL_MAX, QUOTE, ZERO, BACKSLASH, LETTER_A, LETTER_U] = [0x1f, 0x22, 0x30, 0x5c, 0x61, 0x75];
const LOWER_CASE = 0x20;
/** A bit per byte of a block. */
const [ALL, EVEN, ODD] = [0xffff, 0x5555, 0xaaaa];

/** Of the characters behind a backslash, `"\/bfnrtu`: bits by their lower and by their upper four bits, which have one in common. */
const lowerHalves = [0, 0, 0b1101, 0, 0b1000, 0b1000, 0b0100, 0, 0, 0, 0, 0, 0b0010, 0, 0b0100, 0b0001];
const upperHalves = [0, 0, 0b0001, 0, 0, 0b0010, 0b0100, 0b1000, 0, 0, 0, 0, 0, 0, 0, 0];

/** @param OFFSET of the window's bytes in the text, less their address; @param END the address behind them */
const [OFFSET, END] = [0, 1];
const WORDS = 14;
const [AT, QUOTES, BACKSLASHES, FOLLOWING, SUM, ESCAPED, IN_STRING, HEX_DIGITS, BOUNDS, POSITION] = [
  2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
];
const [IS_INSIDE, START] = [12, 13];
/** What a block leaves to the next: whether its first byte is escaped, and which of its first bytes are to be hexadecimal. */
const [CARRY, HEX_CARRY] = [14, 15];
const VECTORS = 4;
const [BLOCK, EQUAL_QUOTE, EQUAL_BACKSLASH, CONTROL] = [16, 17, 18, 19];

const fail = returned(word.of(-1));
const isByte = (value: number): Code => bytes.areEqual(get(BLOCK), bytes.all(value));
const isAtMost = (value: Code, max: number): Code => bytes.areEqual(bytes.min(value, bytes.all(max)), value);

/** Which bytes an odd number of backslashes precedes, without a branch. Source: "Parsing Gigabytes of JSON per Second", 3.1.1. */
const findEscaped = sequence(
  set(BACKSLASHES, word.and(get(BACKSLASHES), word.not(get(CARRY)))),
  set(FOLLOWING, word.or(word.shiftLeft(get(BACKSLASHES), 1), get(CARRY))),
  set(SUM, word.add(word.and(word.and(get(BACKSLASHES), word.of(ODD)), word.not(get(FOLLOWING))), get(BACKSLASHES))),
  set(ESCAPED, word.and(word.and(word.xor(word.of(EVEN), word.shiftLeft(get(SUM), 1)), get(FOLLOWING)), word.of(ALL))),
  set(CARRY, word.shiftRight(get(SUM), 16)),
  set(QUOTES, word.and(get(QUOTES), word.not(get(ESCAPED)))),
);

const spread = (bits: number): Code => set(IN_STRING, word.xor(get(IN_STRING), word.shiftLeft(get(IN_STRING), bits)));

/** From each opening quote to the byte before the closing one. */
const findStrings = sequence(
  set(IN_STRING, get(QUOTES)),
  ...[1, 2, 4, 8].map(spread),
  set(IN_STRING, word.and(word.xor(get(IN_STRING), get(IS_INSIDE)), word.of(ALL))),
  set(IS_INSIDE, word.and(word.subtract(word.of(0), word.shiftRight(get(IN_STRING), 15)), word.of(ALL))),
);

const isEscape = bytes.and(
  bytes.lookUp(bytes.of(lowerHalves), bytes.and(get(BLOCK), bytes.all(0x0f))),
  bytes.lookUp(bytes.of(upperHalves), bytes.and(bytes.shiftPairsRight(get(BLOCK), 4), bytes.all(0x0f))),
);
const isHexDigit = bytes.or(
  isAtMost(bytes.subtract(get(BLOCK), bytes.all(ZERO)), 9),
  isAtMost(bytes.subtract(bytes.or(get(BLOCK), bytes.all(LOWER_CASE)), bytes.all(LETTER_A)), 5),
);

const checkEscapes = sequence(
  when(word.and(get(ESCAPED), bytes.mask(bytes.areEqual(isEscape, bytes.all(0)))), fail),
  // `\u` starts at SUM, which is free by now.
  set(SUM, word.and(get(ESCAPED), bytes.mask(isByte(LETTER_U)))),
  set(
    HEX_DIGITS,
    [1, 2, 3, 4].reduce((code, bits) => word.or(code, word.shiftLeft(get(SUM), bits)), get(HEX_CARRY)),
  ),
  set(HEX_CARRY, word.shiftRight(get(HEX_DIGITS), BLOCK_BYTES)),
  when(
    get(HEX_DIGITS),
    when(word.and(word.and(get(HEX_DIGITS), word.of(ALL)), word.not(bytes.mask(isHexDigit))), fail),
  ),
);

const reportLong = when(
  word.isAtLeast(word.subtract(get(POSITION), get(START)), word.of(LONG_STRING_BYTES)),
  word.store(get(BOUNDS), get(START)),
  word.store(word.add(get(BOUNDS), word.of(4)), word.add(get(POSITION), word.of(1))),
  set(BOUNDS, word.add(get(BOUNDS), word.of(8))),
);

const visitQuotes = when(
  get(QUOTES),
  repeat(
    sequence(
      set(POSITION, word.add(word.add(word.lowestBit(get(QUOTES)), get(AT)), get(OFFSET))),
      set(QUOTES, word.and(get(QUOTES), word.subtract(get(QUOTES), word.of(1)))),
      choose(word.isNegative(get(START)), set(START, get(POSITION)), sequence(reportLong, set(START, word.of(-1)))),
    ),
    get(QUOTES),
  ),
);

const carried = word.or(get(CARRY), get(HEX_CARRY));

const scanBlock = sequence(
  set(BLOCK, bytes.load(get(AT))),
  set(EQUAL_QUOTE, isByte(QUOTE)),
  set(EQUAL_BACKSLASH, isByte(BACKSLASH)),
  set(CONTROL, isAtMost(get(BLOCK), CONTROL_MAX)),
  when(
    word.or(bytes.hasAny(bytes.or(bytes.or(get(EQUAL_QUOTE), get(EQUAL_BACKSLASH)), get(CONTROL))), carried),
    set(QUOTES, bytes.mask(get(EQUAL_QUOTE))),
    set(BACKSLASHES, bytes.mask(get(EQUAL_BACKSLASH))),
    set(ESCAPED, word.of(0)),
    when(word.or(get(BACKSLASHES), get(CARRY)), findEscaped),
    findStrings,
    when(word.and(bytes.mask(get(CONTROL)), get(IN_STRING)), fail),
    set(ESCAPED, word.and(get(ESCAPED), get(IN_STRING))),
    when(word.or(get(ESCAPED), get(HEX_CARRY)), checkEscapes),
    visitQuotes,
  ),
  set(AT, word.add(get(AT), word.of(BLOCK_BYTES))),
);

const state = [IS_INSIDE, START, CARRY, HEX_CARRY] as const;
const stateAt = (index: number): Code => word.of(STATE_AT + 4 * index);

const code = sequence(
  ...state.map((local, index) => set(local, word.load(stateAt(index)))),
  set(BOUNDS, word.of(BOUNDS_AT)),
  set(AT, word.of(WINDOW_AT)),
  repeat(scanBlock, word.isLess(get(AT), get(END))),
  ...state.map((local, index) => word.store(stateAt(index), get(local))),
  word.subtract(get(BOUNDS), word.of(BOUNDS_AT)),
);

/**
 * Scans one window of a JSON text: 16 bytes at a time, without a branch per escape. It returns the bytes of the bounds that it
 * wrote, or -1 for a control character or an unknown escape in a string.
 */
export function stringProgram(): Uint8Array {
  return moduleOf({ params: 2, words: WORDS, vectors: VECTORS, code }, PAGES);
}
