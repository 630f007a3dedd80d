/** Measures audio as it passes, in bounded memory. */
export interface FormatMeter {
  push(bytes: Buffer): void;
  /** Duration of the audio so far; null where it cannot be determined. */
  readonly seconds: number | null;
}
