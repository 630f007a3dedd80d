const RATE = 8_000;

/** A tone of the given seconds as a 16-bit WAV file. */
export function wavOf(seconds: number): Buffer {
  const samples = RATE * seconds;
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples * 2, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(RATE, 24);
  header.writeUInt32LE(RATE * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples * 2, 40);
  const tone = Buffer.alloc(samples * 2);
  for (let at = 0; at < samples; at++)
    tone.writeInt16LE(Math.round(8_000 * Math.sin((at * 440 * 2 * Math.PI) / RATE)), at * 2);
  return Buffer.concat([header, tone]);
}
