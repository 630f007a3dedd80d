import { BitWriter } from './bit-writer.ts';

/** Luma and both chromas of one colour, in video range. */
export interface Colour {
  readonly y: number;
  readonly cb: number;
  readonly cr: number;
}

/** A picture of squares of 16 by 16 pixels, each of one colour; row by row. */
export interface TiledPicture {
  readonly columns: number;
  readonly rows: number;
  readonly tiles: readonly Colour[];
}

export const TILE = 16;

const IDR_SLICE = 0x65;
const SLICE = 0x41;
const SPS = 0x67;
const PPS = 0x68;
/** Constrained baseline, which every decoder supports. */
const PROFILE = 66;
const CONSTRAINTS = 0xc0;
/** Enough for any picture here. */
const LEVEL = 52;
const FRAME_NUMBER_BITS = 4;
/** In an intra slice; in others, five more. */
const I_PCM = 25;
const VERTICAL = { type: 1, chroma: 2 } as const;
const HORIZONTAL = { type: 2, chroma: 1 } as const;
const INTRA_IN_P = 5;
/** The number of coefficients that a square in plain samples counts as. */
const PCM_COEFFICIENTS = 16;

/** Source: ITU-T H.264, 7.3.2.1. Width and height are even. */
export function sequenceParameters(width: number, height: number): Buffer {
  const columns = Math.ceil(width / TILE);
  const rows = Math.ceil(height / TILE);
  const bits = new BitWriter();
  bits.bits(PROFILE, 8);
  bits.bits(CONSTRAINTS, 8);
  bits.bits(LEVEL, 8);
  bits.ue(0); // its id
  bits.ue(FRAME_NUMBER_BITS - 4);
  bits.ue(2); // pictures are shown in the order in which they come
  bits.ue(1); // reference pictures
  bits.bit(0);
  bits.ue(columns - 1);
  bits.ue(rows - 1);
  bits.bit(1); // no fields
  bits.bit(1);
  const cropped = columns * TILE !== width || rows * TILE !== height;
  bits.bit(cropped ? 1 : 0);
  if (cropped) for (const edge of [0, (columns * TILE - width) / 2, 0, (rows * TILE - height) / 2]) bits.ue(edge);
  bits.bit(0); // no display information
  return unit(SPS, bits.end());
}

/** Source: ITU-T H.264, 7.3.2.2. */
export function pictureParameters(): Buffer {
  const bits = new BitWriter();
  for (const id of [0, 0]) bits.ue(id);
  bits.bit(0); // CAVLC
  bits.bit(0);
  bits.ue(0); // one slice group
  for (const defaults of [0, 0]) bits.ue(defaults);
  bits.bits(0, 3); // no weighted prediction
  for (let parameter = 0; parameter < 3; parameter++) bits.seZero();
  bits.bit(1); // slices contain the deblocking setting: disabled
  bits.bit(0);
  bits.bit(0);
  return unit(PPS, bits.end());
}

/** An intra picture, or the difference from the previous one. Source: ITU-T H.264, 7.3.3 to 7.3.5. */
export function encodePicture(picture: TiledPicture, before: TiledPicture | null, frame: number): Buffer {
  const bits = new BitWriter();
  bits.ue(0); // its first square
  bits.ue(before === null ? 7 : 5); // all slices are of this type
  bits.ue(0);
  bits.bits(frame % (1 << FRAME_NUMBER_BITS), FRAME_NUMBER_BITS);
  if (before === null) bits.ue(0);
  // The defaults for references, their order and their marking.
  if (before === null) bits.bits(0, 2);
  else bits.bits(0, 3);
  bits.seZero();
  bits.ue(1); // no deblocking
  new Squares(bits, picture, before).write();
  return unit(before === null ? IDR_SLICE : SLICE, bits.end());
}

class Squares {
  readonly #bits: BitWriter;
  readonly #picture: TiledPicture;
  readonly #before: TiledPicture | null;
  /** The squares in plain samples, which affect the coding of their neighbours. */
  readonly #plain: Uint8Array;

  constructor(bits: BitWriter, picture: TiledPicture, before: TiledPicture | null) {
    this.#bits = bits;
    this.#picture = picture;
    this.#before = before;
    this.#plain = new Uint8Array(picture.tiles.length);
  }

  write(): void {
    const { tiles } = this.#picture;
    let skipped = 0;
    tiles.forEach((colour, at) => {
      if (this.#before?.tiles[at] === colour) {
        skipped++;
        return;
      }
      if (this.#before !== null) this.#bits.ue(skipped);
      skipped = 0;
      this.#square(colour, at);
    });
    if (skipped > 0) this.#bits.ue(skipped);
  }

  /** Predicted by the neighbour to the left or above if that has the same colour; otherwise plain samples. */
  #square(colour: Colour, at: number): void {
    const { columns, tiles } = this.#picture;
    const left = at % columns === 0 ? null : at - 1;
    const above = at < columns ? null : at - columns;
    if (left !== null && tiles[left] === colour) this.#like(HORIZONTAL, left, above);
    else if (above !== null && tiles[above] === colour) this.#like(VERTICAL, left, above);
    else this.#samples(colour, at);
  }

  #like(direction: typeof HORIZONTAL | typeof VERTICAL, left: number | null, above: number | null): void {
    this.#type(direction.type);
    this.#bits.ue(direction.chroma);
    this.#bits.seZero();
    // No coefficients. The coding depends on the number of the neighbours' coefficients.
    if (this.#coefficientsAround(left, above) >= 8) this.#bits.bits(0b000011, 6);
    else this.#bits.bit(1);
  }

  #samples({ y, cb, cr }: Colour, at: number): void {
    this.#type(I_PCM);
    this.#bits.align();
    this.#bits.fill(y, TILE * TILE);
    this.#bits.fill(cb, (TILE * TILE) / 4);
    this.#bits.fill(cr, (TILE * TILE) / 4);
    this.#plain[at] = 1;
  }

  #type(type: number): void {
    this.#bits.ue(this.#before === null ? type : type + INTRA_IN_P);
  }

  #coefficientsAround(left: number | null, above: number | null): number {
    const of = (at: number): number => (this.#plain[at] === 1 ? PCM_COEFFICIENTS : 0);
    if (left !== null && above !== null) return (of(left) + of(above) + 1) >> 1;
    const only = left ?? above;
    return only === null ? 0 : of(only);
  }
}

/** A unit of the stream: no three bytes in it look like a start code. */
function unit(header: number, payload: Buffer): Buffer {
  const bytes = [header];
  let zeros = 0;
  for (const byte of payload) {
    if (zeros >= 2 && byte <= 3) {
      bytes.push(3);
      zeros = 0;
    }
    bytes.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Buffer.from(bytes);
}
