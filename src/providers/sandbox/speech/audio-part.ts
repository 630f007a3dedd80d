/** A part of a response, and the duration of its audio. */
export interface AudioPart {
  readonly bytes: Buffer;
  readonly seconds: number;
}
