/** Timeouts of a provider at each stage, in milliseconds. */
export interface Timeouts {
  readonly connect: number;
  /** Until the headers of an unstreamed response, which is generated before they are sent. */
  readonly answer: number;
  /** Until the headers of a streamed response. */
  readonly headers: number;
  readonly firstToken: number;
  readonly betweenChunks: number;
  /** For a client that does not read its response. */
  readonly client: number;
}

export const defaultTimeouts: Timeouts = {
  connect: 10_000,
  answer: 600_000,
  headers: 120_000,
  // A model may reason for minutes before its first token.
  firstToken: 600_000,
  betweenChunks: 120_000,
  client: 300_000,
};
