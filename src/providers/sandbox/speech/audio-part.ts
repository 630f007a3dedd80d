/** A part of an answer, and how long what it holds is heard. */
export interface AudioPart {
  readonly bytes: Buffer;
  readonly seconds: number;
}
