import type { AudioPart } from './audio-part.ts';
import { aacFrames, mp3Frames } from './fragments.ts';
import { SAMPLE_RATE, type Utterance } from './synthesis.ts';

const MP3_FRAME_BYTES = 96;
const MP3_FRAME_SAMPLES = 576;
const AAC_FRAME_SAMPLES = 1_024;

/** MPEG layer III: the fragment, repeated for the duration of the text. */
export function mp3(utterance: Utterance): Generator<AudioPart> {
  const frames: Buffer[] = [];
  for (let at = 0; at < mp3Frames.length; at += MP3_FRAME_BYTES)
    frames.push(mp3Frames.subarray(at, at + MP3_FRAME_BYTES));
  return repeated(frames, MP3_FRAME_SAMPLES, utterance);
}

/** AAC in ADTS: the same. */
export function aac(utterance: Utterance): Generator<AudioPart> {
  const frames: Buffer[] = [];
  for (let at = 0; at < aacFrames.length;) {
    const length = (aacFrames.readUIntBE(at + 3, 3) >> 5) & 0x1fff;
    frames.push(aacFrames.subarray(at, at + length));
    at += length;
  }
  return repeated(frames, AAC_FRAME_SAMPLES, utterance);
}

function* repeated(frames: readonly Buffer[], samples: number, utterance: Utterance): Generator<AudioPart> {
  const count = Math.max(1, Math.round(utterance.samples / samples));
  for (let number = 0; number < count; number++)
    yield { bytes: frames[number % frames.length] ?? Buffer.alloc(0), seconds: samples / SAMPLE_RATE };
}
