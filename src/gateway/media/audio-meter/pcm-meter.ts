import type { FormatMeter } from './format-meter.ts';

const BYTES_PER_SAMPLE = 2;

/** Raw 16-bit samples. */
export class PcmMeter implements FormatMeter {
  readonly #bytesPerSecond: number;
  #bytes = 0;

  constructor(rate: number, channels: number) {
    this.#bytesPerSecond = rate * channels * BYTES_PER_SAMPLE;
  }

  push(bytes: Buffer): void {
    this.#bytes += bytes.length;
  }

  get seconds(): number {
    return this.#bytes / this.#bytesPerSecond;
  }
}
