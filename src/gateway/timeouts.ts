/** How long a provider may be silent at each stage, in milliseconds. */
export interface Timeouts {
  readonly connect: number;
  /** Until the headers of an unstreamed answer: the whole answer is made before they come. */
  readonly answer: number;
  /** Until the headers of a streamed answer. */
  readonly headers: number;
  readonly firstToken: number;
  readonly betweenChunks: number;
  /** How long a caller may take nothing of its answer. */
  readonly caller: number;
}

export const defaultTimeouts: Timeouts = {
  connect: 10_000,
  answer: 600_000,
  headers: 120_000,
  // A model may think for minutes before it says anything.
  firstToken: 600_000,
  betweenChunks: 120_000,
  caller: 300_000,
};
