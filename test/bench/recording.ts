const BOUNDARY = 'bench';
const MEGABYTE = 1024 * 1024;
/** As large as a recording may be. */
export const RECORDING_BYTES = 25 * MEGABYTE;
export const RECORDING_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** What stands around the sound in a form with a WAV of so many bytes, whose header is part of `head`. */
export function recordingForm(bytes: number): { head: Buffer; soundBytes: number; end: Buffer } {
  const header = wavHeader(bytes - WAV_HEADER_BYTES);
  const head = Buffer.concat([
    Buffer.from(
      `--${BOUNDARY}\r\ncontent-disposition: form-data; name="model"\r\n\r\nopenai/whisper-1\r\n` +
        `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n`,
    ),
    header,
  ]);
  return { head, soundBytes: bytes - header.length, end: Buffer.from(`\r\n--${BOUNDARY}--\r\n`) };
}

const WAV_HEADER_BYTES = 44;

function wavHeader(soundBytes: number): Buffer {
  const header = Buffer.alloc(WAV_HEADER_BYTES);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + soundBytes, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(16_000, 24);
  header.writeUInt32LE(32_000, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(soundBytes, 40);
  return header;
}
