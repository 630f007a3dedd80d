import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const MP3_FRAME_BYTES = 192;
const MP3_FRAMES_PER_SECOND = 48_000 / 1_152;

/** Samples of a tone of 440 Hz: 16 bits, one channel. */
export function pcmTone(seconds: number, rate = 24_000): Buffer {
  const samples = Buffer.alloc(Math.round(seconds * rate) * 2);
  for (let at = 0; at < samples.length; at += 2)
    samples.writeInt16LE(Math.round(4_000 * Math.sin((Math.PI * 440 * at) / rate)), at);
  return samples;
}

/** The same as a WAV file, whose header has 44 bytes. */
export function wavTone(seconds: number, rate = 24_000): Buffer {
  const samples = pcmTone(seconds, rate);
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + samples.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

/**
 * MP3 of 48 kHz and 64 kbit/s, one channel, in frames of 192 bytes and 24 ms; without tags. Its side information of zeros
 * is silence; behind that a frame holds any bytes, here different ones in each, so that no two frames can be confused.
 * Source: ISO/IEC 11172-3, 2.4.1.7.
 */
export function silentMp3(seconds: number): Buffer {
  const frames = Array.from({ length: Math.round(seconds * MP3_FRAMES_PER_SECOND) }, (_, number) => {
    const frame = Buffer.alloc(MP3_FRAME_BYTES);
    frame.set([0xff, 0xfb, 0x54, 0xc4]);
    // Never 255, with which a frame begins.
    for (let at = 21; at < frame.length; at++) frame[at] = (number * 89 + at * 7) % 251;
    return frame;
  });
  return Buffer.concat(frames);
}

/** A tone of one second as Opus in Ogg, once encoded by FFmpeg (libopus, 6 kbit/s). */
export function opusTone(): Buffer {
  return readFileSync(fileURLToPath(new URL('../fixtures/audio/tone.opus', import.meta.url)));
}
