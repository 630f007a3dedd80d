import { beforeAll, describe, expect, it } from 'vitest';
import { AudioMeter } from '../../../../src/gateway/media/audio-meter/audio-meter.ts';
import type { SpeechFormat } from '../../../../src/providers/shared/media/speech-request.ts';
import { madeByFfmpeg, probedSeconds } from '../../../harness/audio.ts';
import { opusTone, pcmTone, silentMp3, wavTone } from '../../../harness/audio-samples.ts';
import { describeWithFfmpeg, itWithFfmpeg } from '../../../harness/ffmpeg.ts';

const made = (seconds: number, ...options: string[]): Buffer => madeByFfmpeg(seconds, options);

function measured(audio: Buffer, contentType: string, asked: SpeechFormat, cut: (left: number) => number): AudioMeter {
  const meter = new AudioMeter(contentType, asked);
  for (let at = 0; at < audio.length;) {
    const length = Math.max(1, cut(audio.length - at));
    meter.push(audio.subarray(at, at + length));
    at += length;
  }
  return meter;
}

const whole = (left: number): number => left;

/** Numbers that are the same at each run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const files: readonly (readonly [what: string, format: SpeechFormat, seconds: number, options: readonly string[]])[] = [
  ['WAV', 'wav', 2.5, ['-f', 'wav']],
  ['WAV of 24 bits and two channels', 'wav', 1.25, ['-ac', '2', '-c:a', 'pcm_s24le', '-f', 'wav']],
  ['WAV of mu-law', 'wav', 3, ['-ar', '8000', '-c:a', 'pcm_mulaw', '-f', 'wav']],
  ['MP3', 'mp3', 3, ['-c:a', 'libmp3lame', '-f', 'mp3']],
  ['MP3 of changing rate', 'mp3', 3, ['-c:a', 'libmp3lame', '-q:a', '5', '-f', 'mp3']],
  ['MP3 of 24 kHz', 'mp3', 2, ['-ar', '24000', '-c:a', 'libmp3lame', '-b:a', '64k', '-f', 'mp3']],
  ['MP3 of 8 kHz', 'mp3', 2, ['-ar', '8000', '-c:a', 'libmp3lame', '-b:a', '16k', '-f', 'mp3']],
  ['MP3 without its tags', 'mp3', 2, ['-c:a', 'libmp3lame', '-id3v2_version', '0', '-write_xing', '0', '-f', 'mp3']],
  ['MPEG layer II', 'mp3', 2, ['-c:a', 'mp2', '-f', 'mp2']],
  ['AAC', 'aac', 2, ['-c:a', 'aac', '-f', 'adts']],
  ['AAC of 22 kHz', 'aac', 2, ['-ar', '22050', '-ac', '1', '-c:a', 'aac', '-f', 'adts']],
  ['FLAC', 'flac', 2.5, ['-c:a', 'flac', '-f', 'flac']],
  ['FLAC of 96 kHz', 'flac', 1, ['-ar', '96000', '-c:a', 'flac', '-f', 'flac']],
  ['Opus', 'opus', 3, ['-c:a', 'libopus', '-f', 'ogg']],
  ['Opus in frames of 2.5 ms', 'opus', 1, ['-c:a', 'libopus', '-frame_duration', '2.5', '-f', 'ogg']],
  ['Opus in frames of 60 ms', 'opus', 3, ['-c:a', 'libopus', '-frame_duration', '60', '-b:a', '16k', '-f', 'ogg']],
  ['Opus in small pages', 'opus', 2, ['-c:a', 'libopus', '-page_duration', '20000', '-f', 'ogg']],
];

describeWithFfmpeg.each(files)('%s', (_what, format, seconds, options) => {
  let audio: Buffer;
  let expected: number;

  beforeAll(() => {
    audio = made(seconds, ...options);
    expected = probedSeconds(audio);
  });

  it('has the duration that ffprobe reports', () => {
    const meter = measured(audio, '', format, whole);
    expect(meter.format).toBe(format);
    // An encoder fills its last frame up.
    expect(Math.abs((meter.seconds ?? 0) - expected)).toBeLessThan(0.08);
    expect(Math.abs((meter.seconds ?? 0) - seconds)).toBeLessThan(0.2);
  });

  it('has the same duration however it is split', () => {
    const { seconds: measuredWhole } = measured(audio, '', format, whole);
    expect(measured(audio, '', format, () => 1).seconds).toBe(measuredWhole);
    for (let seed = 1; seed <= 12; seed++) {
      const random = seeded(seed);
      const longest = [3, 40, 700, 9_000][seed % 4] ?? 1;
      expect(measured(audio, '', format, () => Math.ceil(random() * longest)).seconds).toBe(measuredWhole);
    }
  });

  it('counts what has arrived', () => {
    const half = measured(audio.subarray(0, audio.length >> 1), '', format, whole).seconds ?? 0;
    expect(half).toBeLessThan(measured(audio, '', format, whole).seconds ?? 0);
    // Pages of Ogg, and rates that change, are no even measure.
    expect(half).toBeGreaterThanOrEqual(0);
    if (format !== 'opus') expect(half).toBeGreaterThan(seconds * 0.3);
  });
});

describe('samples', () => {
  it('have 24 kHz by default', () => {
    const samples = pcmTone(1.5);
    expect(measured(samples, 'audio/pcm', 'pcm', whole).seconds).toBe(1.5);
    expect(measured(samples, 'application/octet-stream', 'pcm', () => 7).seconds).toBe(1.5);
  });

  it('have the rate and channels of the media type', () => {
    const samples = Buffer.alloc(16_000 * 2 * 2);
    expect(measured(samples, 'audio/L16; rate=16000; channels=2', 'pcm', whole).seconds).toBe(1);
    expect(measured(samples, 'audio/pcm;rate="8000"', 'mp3', whole).seconds).toBe(4);
  });

  it('are not read as frames because of their first bytes', () => {
    const samples = Buffer.alloc(48_000, 0xff);
    expect(measured(samples, 'audio/pcm', 'pcm', whole)).toMatchObject({ seconds: 1, format: 'pcm' });
  });
});

describe('a WAV file of a stream', () => {
  it.each([
    ['the largest length', 0xffffffff],
    ['no length', 0],
    ['a length that never comes', 0x7fffffff],
  ])('that declares %s has the duration of its content', (_what, length) => {
    const audio = wavTone(1.5, 16_000);
    audio.writeUInt32LE(length, 40);
    expect(measured(audio, 'audio/wav', 'wav', () => 100).seconds).toBe(1.5);
  });

  it('counts with a concatenated one', () => {
    const one = wavTone(0.5);
    expect(measured(Buffer.concat([one, one]), 'audio/wav', 'wav', () => 77).seconds).toBe(1);
  });
});

describe('MPEG audio', () => {
  const plain = silentMp3(2);
  const { seconds } = measured(plain, '', 'mp3', whole);

  it('is found after a cover image that looks like frames', () => {
    const picture = Buffer.concat(Array.from({ length: 200 }, () => plain.subarray(0, 192)));
    const tag = Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 0]);
    for (let place = 0; place < 4; place++) tag[6 + place] = (picture.length >> (21 - 7 * place)) & 0x7f;
    expect(measured(Buffer.concat([tag, picture, plain]), '', 'mp3', () => 33).seconds).toBe(seconds);
  });

  it('is found after other bytes', () => {
    const noise = Buffer.from('no audio \xff\xfb\x90\x00 at all', 'latin1');
    const meter = measured(Buffer.concat([noise, plain]), 'audio/mpeg', 'mp3', () => 11);
    expect(Math.abs((meter.seconds ?? 0) - (seconds ?? 0))).toBeLessThan(0.1);
  });

  it('of free format is counted by where its frames begin', () => {
    const frame = Buffer.alloc(1_000);
    // Layer III of 44.1 kHz, its bit rate unsaid.
    frame.set([0xff, 0xfb, 0x00, 0xc4]);
    const audio = Buffer.concat(Array.from({ length: 50 }, () => frame));
    expect(measured(audio, '', 'mp3', () => 333).seconds).toBeCloseTo((50 * 1_152) / 44_100, 3);
  });
});

describe('FLAC of a stream', () => {
  itWithFfmpeg('without a length in its header is counted by its frames', () => {
    // Written to a pipe, its header cannot be mended.
    const audio = made(2, '-c:a', 'flac', '-f', 'flac');
    const total = audio.readUIntBE(8 + 14, 4);
    expect(total).toBe(0);
    expect(measured(audio, '', 'flac', whole).seconds).toBe(2);
  });
});

describe('Opus', () => {
  const cutStream = (): Buffer => {
    const audio = made(4, '-c:a', 'libopus', '-page_duration', '500000', '-f', 'ogg');
    const pages: number[] = [];
    for (let at = audio.indexOf('OggS'); at >= 0; at = audio.indexOf('OggS', at + 1)) pages.push(at);
    const [, , firstAudio = 0, , third = 0] = pages;
    return Buffer.concat([audio.subarray(0, firstAudio), audio.subarray(third)]);
  };

  itWithFfmpeg('from an excerpt does not start at 0', () => {
    const audio = cutStream();
    const { seconds } = measured(audio, '', 'opus', whole);
    // Two pages of half a second are gone, and the decoder still drops its first samples.
    expect(seconds).toBeGreaterThan(2.9);
    expect(seconds).toBeLessThan(3.1);
    expect(measured(audio, '', 'opus', () => 1).seconds).toBe(seconds);
  });

  it('counts with a concatenated file', () => {
    const one = opusTone();
    const { seconds } = measured(one, '', 'opus', whole);
    expect(measured(Buffer.concat([one, one]), '', 'opus', () => 50).seconds).toBeCloseTo(2 * (seconds ?? 0), 3);
  });
});

describe('other data', () => {
  it('has no known duration', () => {
    expect(measured(Buffer.from('<html>no</html>'), 'audio/webm', 'wav', whole).seconds).toBeNull();
  });

  it('is skipped in bounded memory', () => {
    for (const format of ['mp3', 'opus', 'flac', 'wav'] as const) {
      const marks = { mp3: 'ID3\x04', opus: 'OggS', flac: 'fLaC', wav: 'RIFF' };
      const random = seeded(9);
      const noise = Buffer.from(Array.from({ length: 200_000 }, () => Math.floor(random() * 256)));
      const audio = Buffer.concat([Buffer.from(marks[format], 'latin1'), noise]);
      const { seconds } = measured(audio, '', format, () => 1_000);
      expect(measured(audio, '', format, () => 13).seconds).toBe(seconds);
    }
  });
});
