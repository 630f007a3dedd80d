import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { audioDuration } from '../../../../src/gateway/media/audio-duration.ts';
import { silentMp3, wavTone } from '../../../harness/audio-samples.ts';
import { describeWithFfmpeg, itWithFfmpeg } from '../../../harness/ffmpeg.ts';
import { decodedSeconds, record } from '../../../harness/recording.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-audio-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string): string => join(folder, name);

/** Written to a pipe: nothing can be put into the header afterwards. */
const piped = (name: string, ...options: string[]): void => {
  record(at('source.wav'), 12.5);
  const bytes = execFileSync('ffmpeg', ['-v', 'error', '-i', at('source.wav'), ...options, '-'], {
    maxBuffer: 64 * 1024 * 1024,
  });
  writeFileSync(at(name), bytes);
};

/** As `write` changes a copy of the bytes. */
function changed(name: string, from: string, write: (bytes: Buffer) => Buffer): string {
  const path = at(name);
  writeFileSync(path, write(Buffer.from(readFileSync(at(from)))));
  return path;
}

describeWithFfmpeg('the seconds of', () => {
  it.each([
    ['WAV', 'a.wav', []],
    ['WAV of 24 bits in stereo', 'b.wav', ['-c:a', 'pcm_s24le', '-ac', '2']],
    ['WAV of A-law', 'c.wav', ['-c:a', 'pcm_alaw', '-ar', '8000']],
    ['WAV of ADPCM', 'd.wav', ['-c:a', 'adpcm_ima_wav']],
    ['MP3 of a constant rate', 'a.mp3', ['-b:a', '128k']],
    ['MP3 of a changing rate', 'b.mp3', ['-q:a', '5']],
    ['MP3 of a changing rate that does not tell its frames', 'c.mp3', ['-q:a', '5', '-write_xing', '0']],
    ['MP3 of a low rate', 'd.mp3', ['-ar', '16000', '-b:a', '24k', '-ac', '1']],
    ['MP2', 'a.mp2', []],
    ['AAC in frames', 'a.aac', []],
    ['FLAC', 'a.flac', []],
    ['OGG with Opus', 'a.opus', ['-c:a', 'libopus']],
    ['OGG with Vorbis', 'a.ogg', ['-c:a', 'libvorbis']],
    ['M4A', 'a.m4a', []],
    ['M4A in fragments', 'b.m4a', ['-movflags', 'frag_keyframe+empty_moov']],
    ['WebM with Opus', 'a.webm', ['-c:a', 'libopus']],
    ['WebM with Vorbis', 'b.webm', ['-c:a', 'libvorbis']],
    ['AIFF', 'a.aiff', []],
  ])('%s is its audible duration', async (_kind, name, options) => {
    record(at(name), 12.5, options);
    const seconds = await audioDuration(at(name));
    expect(Math.abs(seconds - decodedSeconds(at(name)))).toBeLessThan(0.15);
    expect(Math.abs(seconds - 12.5)).toBeLessThan(0.15);
  });

  it.each([
    ['WAV', 'piped.wav', ['-f', 'wav']],
    ['WebM', 'piped.webm', ['-c:a', 'libopus', '-f', 'webm', '-live', '1']],
    ['FLAC', 'piped.flac', ['-f', 'flac']],
    ['MP3', 'piped.mp3', ['-f', 'mp3']],
    ['M4A', 'piped.m4a', ['-f', 'mp4', '-movflags', 'frag_keyframe+empty_moov+default_base_moof']],
  ])('a recorder’s %s without a duration is its audible duration', async (_kind, name, options) => {
    piped(name, ...options);
    expect(Math.abs((await audioDuration(at(name))) - 12.5)).toBeLessThan(0.15);
  });

  it('a WebM with video is that of its audio', async () => {
    const pictures = '-v error -y -f lavfi -i testsrc=s=64x64:d=3 -f lavfi -i sine=d=9 -c:v libvpx -c:a libopus';
    execFileSync('ffmpeg', [...pictures.split(' '), at('film.webm')]);
    expect(Math.abs((await audioDuration(at('film.webm'))) - 9)).toBeLessThan(0.1);
  });

  it('an MP3 with a large cover image is that of its audio', async () => {
    record(at('plain.mp3'), 5);
    const picture = Buffer.alloc(3_000_000, 0xff);
    const size = Buffer.from([21, 14, 7, 0].map((shift) => (picture.length >> shift) & 0x7f));
    const path = changed('picture.mp3', 'plain.mp3', (bytes) =>
      Buffer.concat([Buffer.from('ID3\x04\0\0', 'latin1'), size, picture, bytes]),
    );
    expect(Math.abs((await audioDuration(path)) - 5)).toBeLessThan(0.1);
  });

  it('a file whose header declares less is that of its content', async () => {
    record(at('long.flac'), 30);
    const flac = changed('liar.flac', 'long.flac', (bytes) => {
      bytes.fill(0, 22, 26);
      bytes[25] = 1;
      return bytes;
    });
    expect(Math.abs((await audioDuration(flac)) - 30)).toBeLessThan(0.1);
    record(at('long.mp3'), 30, ['-q:a', '4']);
    const mp3 = changed('liar.mp3', 'long.mp3', (bytes) => {
      const result = bytes.indexOf('Xing');
      expect(result).toBeGreaterThan(0);
      bytes.writeUInt32BE(1, result + 8);
      return bytes;
    });
    expect(Math.abs((await audioDuration(mp3)) - 30)).toBeLessThan(0.1);
    record(at('long.webm'), 30, ['-c:a', 'libopus']);
    const webm = changed('liar.webm', 'long.webm', (bytes) => {
      const result = bytes.indexOf(Buffer.from([0x44, 0x89, 0x88]));
      expect(result).toBeGreaterThan(0);
      bytes.writeDoubleBE(10, result + 3);
      return bytes;
    });
    expect(Math.abs((await audioDuration(webm)) - 30)).toBeLessThan(0.1);
  });

  it.each([
    // The width of a sample in bits, which these kinds do not have.
    ['mulaw', 'pcm_mulaw', 34],
    ['alaw', 'pcm_alaw', 34],
    // How many samples a block holds.
    ['ima', 'adpcm_ima_wav', 38],
    ['ms', 'adpcm_ms', 38],
  ])('a WAV of %s with a forged header is that of its content', async (name, codec, place) => {
    record(at(`${name}.wav`), 10, ['-c:a', codec]);
    const liar = changed(`liar-${name}.wav`, `${name}.wav`, (bytes) => {
      bytes.writeUInt16LE(65_535, place);
      return bytes;
    });
    expect(Math.abs((await audioDuration(liar)) - 10)).toBeLessThan(0.2);
  });

  it('an MP3 of two concatenated kinds is that of both', async () => {
    record(at('short.mp3'), 1, ['-ar', '44100']);
    record(at('rest.mp3'), 9, ['-ar', '48000', '-write_xing', '0']);
    writeFileSync(at('joined.mp3'), Buffer.concat([readFileSync(at('short.mp3')), readFileSync(at('rest.mp3'))]));
    expect(Math.abs((await audioDuration(at('joined.mp3'))) - 10)).toBeLessThan(0.2);
  });

  it('a FLAC with others appended is not shorter', async () => {
    record(at('ten.flac'), 10);
    record(at('tiny.flac'), 0.2);
    writeFileSync(at('both.flac'), Buffer.concat([readFileSync(at('ten.flac')), readFileSync(at('tiny.flac'))]));
    expect(await audioDuration(at('both.flac'))).toBeGreaterThan(9.8);
  });
});

it('a WAV with several data chunks is that of all of them', async () => {
  const bytes = wavTone(4);
  const data = bytes.subarray(bytes.indexOf('data'));
  writeFileSync(at('pieces.wav'), Buffer.concat([bytes, data]));
  expect(Math.abs((await audioDuration(at('pieces.wav'))) - 8)).toBeLessThan(0.1);
});

describe('invalid audio is', () => {
  const refused = async (path: string): Promise<string> => {
    const error: unknown = await audioDuration(path).then(
      (seconds) => new Error(`taken for ${seconds} s`),
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code: 'invalid_audio', status: 400, param: 'file' });
    return error instanceof Error ? error.message : '';
  };

  it.each([
    ['a text', 'This is no audio, but a text. '.repeat(1_000)],
    ['a short text', 'hello'],
    ['nothing', ''],
    ['JSON', '{"a":1}'],
    ['a page', `<!doctype html><html>${'<p>ÿû</p>'.repeat(500)}`],
    ['a header alone', 'RIFF\x24\0\0\0WAVE'],
    ['the name of one kind alone', 'OggS'],
    ['the name of another', 'fLaC'],
    ['the name of a third', '\x1a\x45\xdf\xa3'],
    ['the name of a fourth', '\0\0\0\x20ftypM4A '],
  ])('%s', async (_what, text) => {
    writeFileSync(at('text'), text, 'latin1');
    await refused(at('text'));
  });

  it('a truncated WAV', async () => {
    writeFileSync(at('whole.wav'), wavTone(2));
    const path = changed('cut.wav', 'whole.wav', (bytes) => bytes.subarray(0, bytes.length / 2));
    expect(await refused(path)).toContain('it is truncated');
    await refused(changed('cut.wav', 'whole.wav', (bytes) => bytes.subarray(0, 30)));
  });

  it('a WAV in an encoding that cannot be measured', async () => {
    writeFileSync(at('plain.wav'), wavTone(2));
    const path = changed('packed.wav', 'plain.wav', (bytes) => {
      bytes.writeUInt16LE(0x55, 20);
      bytes.writeUInt32LE(4_000_000_000, 28);
      return bytes;
    });
    expect(await refused(path)).toContain('encoding is not supported');
  });

  itWithFfmpeg('an M4A without its table', async () => {
    record(at('whole.m4a'), 2);
    await refused(changed('cut.m4a', 'whole.m4a', (bytes) => bytes.subarray(0, bytes.length / 2)));
  });

  itWithFfmpeg('an image, and a video without audio', async () => {
    execFileSync('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', 'testsrc=d=1', '-frames:v', '1', at('a.png')]);
    await refused(at('a.png'));
    for (const name of ['mute.webm', 'mute.mp4']) {
      execFileSync('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', 'testsrc=s=64x64:d=1', at(name)]);
      await refused(at(name));
    }
  });

  itWithFfmpeg('any of these with shuffled bytes, without wasting time', async () => {
    for (const kind of ['mp3', 'flac', 'webm', 'ogg', 'm4a', 'wav']) {
      record(at(`fine.${kind}`), 1);
      for (let seed = 1; seed <= 40; seed++) {
        const path = changed('disorder', `fine.${kind}`, (bytes) => {
          for (let at = 0; at < 20; at++)
            bytes[(seed * 7_919 * (at + 1)) % Math.min(bytes.length, 400)] = seed * 13 + at;
          return bytes;
        });
        const seconds = await audioDuration(path).catch(({ code }: { code: string }) => code);
        expect(typeof seconds === 'number' ? 'a time' : seconds).toMatch(/^(a time|invalid_audio)$/);
      }
    }
  });
});

it('a long MP3 yields to other work, and many files are read concurrently', async () => {
  const minute = silentMp3(60);
  writeFileSync(at('minute.mp3'), minute);
  const each = await audioDuration(at('minute.mp3'));
  writeFileSync(at('hour.mp3'), Buffer.concat(Array.from({ length: 60 }, () => minute)));
  let turns = 0;
  let isReading = true;
  const turn = (): void => {
    turns++;
    if (isReading) setImmediate(turn);
  };
  setImmediate(turn);
  const all = await Promise.all(Array.from({ length: 12 }, () => audioDuration(at('hour.mp3'))));
  isReading = false;
  for (const seconds of all) expect(seconds).toBeCloseTo(60 * each, 3);
  // Far more often than once for each file: each lets others go on many times.
  expect(turns).toBeGreaterThan(12 * 10);
});
