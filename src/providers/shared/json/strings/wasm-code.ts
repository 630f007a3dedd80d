/**
 * Encodes a WebAssembly module of one function, with the instructions that the scan of strings needs. Source: WebAssembly Core
 * Specification 2.0, chapter 5, "Binary Format".
 */
export type Code = readonly number[];

const [I32, I64, V128, VOID, FUNCTION] = [0x7f, 0x7e, 0x7b, 0x40, 0x60];
/** `\0asm`, and the version. */
const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const [BLOCK_END, ELSE] = [0x0b, 0x05];
const VECTOR = 0xfd;
/** Alignments of memory accesses, as powers of two. */
const [WORD_ALIGNMENT, BYTE_ALIGNMENT] = [2, 0];
const WORD_ACCESS = [WORD_ALIGNMENT, 0];

/** An integer as LEB128. */
function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
}

function signed(value: bigint): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x3fn || rest < -0x40n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return [...bytes, Number(rest & 0x7fn)];
}

const unary =
  (...opcode: number[]) =>
  (value: Code): Code => [...value, ...opcode];
const binary =
  (...opcode: number[]) =>
  (left: Code, right: Code): Code => [...left, ...right, ...opcode];
const vector = (opcode: number): number[] => [VECTOR, ...unsigned(opcode)];

export const get = (local: number): Code => [0x20, ...unsigned(local)];
export const set = (local: number, value: Code): Code => [...value, 0x21, ...unsigned(local)];

/** Integers of 32 bits. */
export const word = {
  of: (value: number): Code => [0x41, ...signed(BigInt(value))],
  load: (address: Code): Code => [...address, 0x28, ...WORD_ACCESS],
  store: (address: Code, value: Code): Code => [...address, ...value, 0x36, ...WORD_ACCESS],
  isNegative: (value: Code): Code => [...value, ...word.of(0), 0x48],
  isLess: binary(0x49),
  isAtLeast: binary(0x4f),
  add: binary(0x6a),
  subtract: binary(0x6b),
  or: binary(0x72),
};

/** Integers of 64 bits: here a bit per byte. */
export const bits = {
  of: (value: bigint): Code => [0x42, ...signed(value)],
  ofWord: unary(0xac),
  asWord: unary(0xa7),
  isAny: (value: Code): Code => [...value, ...bits.of(0n), 0x52],
  lowest: unary(0x7a),
  subtract: binary(0x7d),
  and: binary(0x83),
  or: binary(0x84),
  xor: binary(0x85),
  not: (value: Code): Code => [...value, ...bits.of(-1n), 0x85],
  shiftLeft: (value: Code, by: number): Code => [...value, ...bits.of(BigInt(by)), 0x86],
  /** Fills with the highest bit. */
  spreadRight: (value: Code, by: number): Code => [...value, ...bits.of(BigInt(by)), 0x87],
  shiftRight: (value: Code, by: number): Code => [...value, ...bits.of(BigInt(by)), 0x88],
};

/** Vectors of 16 bytes. */
export const bytes = {
  of: (values: readonly number[]): Code => [...vector(0x0c), ...values],
  all: (value: number): Code => bytes.of(Array.from({ length: 16 }, () => value)),
  load: (address: Code, offset = 0): Code => [...address, ...vector(0x00), BYTE_ALIGNMENT, offset],
  /** Items of a table at the indexes in a vector; 0 for an index above 15. */
  lookUp: binary(...vector(0x0e)),
  areEqual: binary(...vector(0x23)),
  min: binary(...vector(0x77)),
  subtract: binary(...vector(0x71)),
  and: binary(...vector(0x4e)),
  or: binary(...vector(0x50)),
  isAny: unary(...vector(0x53)),
  /** The highest bit of each byte. */
  mask: unary(...vector(0x64)),
  /** Of 16-bit numbers: bits of one byte get into the next. */
  shiftPairsRight: (value: Code, by: number): Code => [...value, ...word.of(by), ...vector(0x8d)],
};

export const sequence = (...parts: readonly Code[]): Code => parts.flat();
export const returned = (value: Code): Code => [...value, 0x0f];
export const when = (condition: Code, ...then: readonly Code[]): Code => [
  ...condition,
  0x04,
  VOID,
  ...then.flat(),
  BLOCK_END,
];
export const choose = (condition: Code, then: Code, otherwise: Code): Code => [
  ...condition,
  0x04,
  VOID,
  ...then,
  ELSE,
  ...otherwise,
  BLOCK_END,
];
/** Runs once, and again while the condition holds. */
export const repeat = (body: Code, condition: Code): Code => [0x03, VOID, ...body, ...condition, 0x0d, 0, BLOCK_END];

export interface WasmFunction {
  /** Its parameters and its result are integers. */
  readonly params: number;
  /** Further locals, in this order. */
  readonly words: number;
  readonly bits: number;
  readonly vectors: number;
  readonly code: Code;
}

/** A module that exports its memory as `memory` and the function as `run`. */
export function moduleOf({ params, words, bits: integers, vectors, code }: WasmFunction, pages: number): Uint8Array {
  const types = [1, FUNCTION, params, ...Array.from({ length: params }, () => I32), 1, I32];
  const body = [3, ...unsigned(words), I32, ...unsigned(integers), I64, ...unsigned(vectors), V128, ...code, BLOCK_END];
  return Uint8Array.from([
    ...HEADER,
    ...section(1, types),
    ...section(3, [1, 0]),
    ...section(5, [1, 1, pages, pages]),
    ...section(7, [2, ...exported('memory', 2), ...exported('run', 0)]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
  ]);
}

function section(id: number, content: Code): Code {
  return [id, ...unsigned(content.length), ...content];
}

function exported(name: string, kind: number): Code {
  return [name.length, ...Buffer.from(name), kind, 0];
}
