/** Decodes a response of a protocol to parts. One object per response. An exception fails the response. */
export interface ResponseDecoder {
  /** One event of a stream: its parsed data. Unknown kinds are ignored. */
  event(event: unknown): void;
  /** A complete response that is not streamed. */
  document(body: unknown): void;
  /** Whether the response is complete: a stream that stops before is interrupted. */
  readonly ended: boolean;
}
