const HEADER_BYTES = 44;
const SAMPLE_BYTES = 2;
const MAX_BYTES = 0xffffffff;

/**
 * The header of a WAV file of 16-bit samples, mono.
 * @param sampleBytes null for a stream of unknown length: it is written as the maximum, as OpenAI does
 *
 * Source: Microsoft, Multimedia Programming Interface and Data Specifications 1.0, WAVE.
 */
export function wavHeader(rate: number, sampleBytes: number | null): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(sampleBytes === null ? MAX_BYTES : sampleBytes + HEADER_BYTES - 8, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * SAMPLE_BYTES, 28);
  header.writeUInt16LE(SAMPLE_BYTES, 32);
  header.writeUInt16LE(SAMPLE_BYTES * 8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(sampleBytes ?? MAX_BYTES, 40);
  return header;
}
