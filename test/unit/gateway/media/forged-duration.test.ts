import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { audioDuration } from '../../../../src/gateway/media/audio-duration.ts';
import { describeWithFfmpeg } from '../../../harness/ffmpeg.ts';
import { decodedSeconds, record } from '../../../harness/recording.ts';

const SECONDS = 30;
let folder: string;
let forged: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-forged-'));
  forged = join(folder, 'forged');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function recorded(name: string, options: readonly string[] = [], seconds = SECONDS): Buffer {
  const path = join(folder, name);
  record(path, seconds, options);
  return readFileSync(path);
}

/** The billed and the audible duration. */
async function measured(bytes: Buffer): Promise<{ billed: number; heard: number }> {
  writeFileSync(forged, bytes);
  return { billed: await audioDuration(forged), heard: decodedSeconds(forged) };
}

/** Where each box of a name has its content. */
function boxes(bytes: Buffer, name: string): number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 4)) found.push(at + 4);
  expect(found.length).toBeGreaterThan(0);
  return found;
}

function divide(bytes: Buffer, at: number, by: number): void {
  bytes.writeUInt32BE(Math.ceil(bytes.readUInt32BE(at) / by), at);
}

/** As `mdhd`, `mvhd` and `tkhd` declare it. */
function tellLess(bytes: Buffer): void {
  for (const at of boxes(bytes, 'mdhd')) divide(bytes, at + 16, 20);
  for (const at of boxes(bytes, 'mvhd')) divide(bytes, at + 16, 20);
  for (const at of boxes(bytes, 'tkhd')) divide(bytes, at + 20, 20);
}

function shortenPieces(bytes: Buffer): void {
  for (const at of boxes(bytes, 'stts')) {
    for (let row = 0; row < bytes.readUInt32BE(at + 4); row++) divide(bytes, at + 8 + row * 8 + 4, 20);
  }
}

/** A box with these boxes after its header, with a corrected length. */
function insertInto(bytes: Buffer, name: string, inserted: Buffer): Buffer {
  const [at = 0] = boxes(bytes, name);
  const out = Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]);
  out.writeUInt32BE(out.readUInt32BE(at - 8) + inserted.length, at - 8);
  return out;
}

function box(name: string, content: Buffer, result = content.length + 8): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(result);
  head.write(name, 4, 'latin1');
  return Buffer.concat([head, content]);
}

const fragmented = ['-movflags', 'frag_keyframe+empty_moov+default_base_moof', '-frag_duration', '1000000'];
const packings: [string, string, readonly string[]][] = [
  ['AAC', 'aac.m4a', []],
  ['AAC of a low rate', 'low.m4a', ['-ar', '16000', '-ac', '1', '-b:a', '24k']],
  ['ALAC', 'alac.m4a', ['-c:a', 'alac']],
];

describeWithFfmpeg.each(packings)('an M4A of %s is billed for what is heard', (_what, name, options) => {
  it('where its headers declare less', async () => {
    const bytes = recorded(name, options);
    tellLess(bytes);
    const { billed, heard } = await measured(bytes);
    expect(heard).toBeGreaterThan(SECONDS - 1);
    expect(Math.abs(billed - SECONDS)).toBeLessThan(0.2);
  });

  it('where all its times declare less', async () => {
    const bytes = recorded(name, options);
    tellLess(bytes);
    shortenPieces(bytes);
    const { billed } = await measured(bytes);
    expect(Math.abs(billed - SECONDS)).toBeLessThan(0.3);
  });

  it('where its times have another scale', async () => {
    const bytes = recorded(name, options);
    for (const at of boxes(bytes, 'mdhd')) bytes.writeUInt32BE(bytes.readUInt32BE(at + 12) * 20, at + 12);
    const { billed } = await measured(bytes);
    expect(Math.abs(billed - SECONDS)).toBeLessThan(0.3);
  });

  it('where its fragments declare less', async () => {
    const bytes = recorded(name.replace('.', '-f.'), [...options, ...fragmented]);
    expect(bytes.includes('moof')).toBe(true);
    for (const at of boxes(bytes, 'trex')) divide(bytes, at + 12, 20);
    for (const at of boxes(bytes, 'tfhd')) {
      const flags = bytes.readUInt32BE(at);
      expect(flags & 0x8).toBe(0x8);
      divide(bytes, at + 8 + (flags & 0x1 ? 8 : 0) + (flags & 0x2 ? 4 : 0), 20);
    }
    const { billed } = await measured(bytes);
    expect(Math.abs(billed - SECONDS)).toBeLessThan(0.3);
  });

  it('where all its samples are declared as one', async () => {
    const bytes = recorded(name, options);
    tellLess(bytes);
    shortenPieces(bytes);
    const [sizes = 0] = boxes(bytes, 'stsz');
    let total = 0;
    for (let row = 0; row < bytes.readUInt32BE(sizes + 8); row++) total += bytes.readUInt32BE(sizes + 12 + row * 4);
    bytes.writeUInt32BE(1, sizes + 8);
    bytes.writeUInt32BE(total, sizes + 4);
    writeFileSync(forged, bytes);
    expect(await audioDuration(forged)).toBeGreaterThan(SECONDS * 0.7);
  });
});

describeWithFfmpeg('an M4A is billed for what is heard', () => {
  it('after a track whose boxes exceed it', async () => {
    const bytes = recorded('late.m4a');
    const far = box('free', Buffer.alloc(8), 1_000_000);
    const { billed, heard } = await measured(insertInto(bytes, 'moov', box('trak', box('mdia', far))));
    expect(heard).toBeGreaterThan(SECONDS - 1);
    expect(Math.abs(billed - SECONDS)).toBeLessThan(0.2);
  });

  it('without the mark of its format, and after a tag', async () => {
    const bytes = recorded('bare.m4a', ['-movflags', 'empty_moov+frag_keyframe+default_base_moof']);
    const bare = bytes.subarray(bytes.readUInt32BE(0));
    expect(bare.toString('latin1', 4, 8)).toBe('moov');
    const tag = Buffer.from('ID3\x04\0\0\0\0\0\x0a0123456789', 'latin1');
    for (const each of [bare, Buffer.concat([tag, bare])]) {
      const { billed, heard } = await measured(each);
      expect(heard).toBeGreaterThan(SECONDS - 1);
      expect(Math.abs(billed - SECONDS)).toBeLessThan(0.2);
    }
  });

  it('where its audio is in a table and in fragments', async () => {
    const whole = recorded('first.m4a', ['-movflags', '+faststart'], 10);
    const parts = recorded('second.m4a', fragmented, 20);
    const fragments = parts.subarray(parts.indexOf('moof') - 4);
    writeFileSync(forged, Buffer.concat([whole, fragments]));
    expect(Math.abs((await audioDuration(forged)) - SECONDS)).toBeLessThan(0.3);
  });
});

it('an M4A with thousands of tracks is rejected', async () => {
  const tracks = Buffer.concat(Array.from({ length: 5_000 }, () => box('trak', Buffer.alloc(0))));
  writeFileSync(forged, Buffer.concat([box('ftyp', Buffer.from('M4A \0\0\0\0')), box('moov', tracks)]));
  await expect(audioDuration(forged)).rejects.toMatchObject({ code: 'invalid_audio' });
});

describeWithFfmpeg('a FLAC is billed for what is heard', () => {
  const soundOf = (bytes: Buffer): Buffer => {
    let at = 4;
    for (let isLast = false; !isLast; at += 4 + bytes.readUIntBE(at + 1, 3)) isLast = ((bytes[at] ?? 0) & 0x80) !== 0;
    return bytes.subarray(at);
  };

  it('before 64 KB and more of frames with restarted numbers', async () => {
    const bytes = recorded('long.flac');
    bytes.fill(0, 22, 26);
    const few = soundOf(recorded('few.flac', [], 0.3));
    const many = Buffer.concat(Array.from({ length: Math.ceil(200_000 / few.length) }, () => few));
    writeFileSync(forged, Buffer.concat([bytes, many]));
    expect(await audioDuration(forged)).toBeGreaterThan(SECONDS - 0.2);
  });

  it('with false frame headers between its own', async () => {
    const bytes = recorded('long.flac');
    bytes.fill(0, 22, 26);
    const sound = soundOf(bytes);
    const lie = soundOf(recorded('few.flac', [], 0.3)).subarray(0, 16);
    const parts: Buffer[] = [bytes.subarray(0, bytes.length - sound.length)];
    for (let at = 0; at < sound.length; at += 500) parts.push(sound.subarray(at, at + 500), lie);
    writeFileSync(forged, Buffer.concat(parts));
    expect(await audioDuration(forged)).toBeGreaterThan(SECONDS * 0.7);
  });

  it('where its header declares another rate and length, and after a tag', async () => {
    const bytes = recorded('long.flac');
    bytes.writeUIntBE(bytes.readUIntBE(18, 3) | 0xfffff0, 18, 3);
    bytes.fill(0, 22, 26);
    const { billed } = await measured(Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\x040123', 'latin1'), bytes]));
    expect(Math.abs(billed - SECONDS)).toBeLessThan(0.1);
  });

  it('by its bytes, where no frames are found', async () => {
    const sound = Buffer.alloc(3_000_000, 0x5a);
    const header = recorded('plain.flac', ['-sample_fmt', 's16']).subarray(0, 42);
    header.fill(0, 22, 25);
    header[4] = 0x80;
    writeFileSync(forged, Buffer.concat([header, sound]));
    // Of one channel, 16 bits and 44.1 kHz.
    expect(await audioDuration(forged)).toBeGreaterThan(0.9 * (sound.length / 88_200));
  });
});

describeWithFfmpeg('an OGG is billed for what is heard', () => {
  it.each([
    ['Opus', 'a.opus', ['-c:a', 'libopus']],
    ['Opus in frames of 60 ms', 'b.opus', ['-c:a', 'libopus', '-frame_duration', '60']],
    ['Vorbis', 'a.ogg', ['-c:a', 'libvorbis']],
    ['Vorbis of a high rate', 'b.ogg', ['-c:a', 'libvorbis', '-q:a', '9', '-ar', '48000']],
  ])('where the pages of %s declare less', async (_what, name, options) => {
    const bytes = recorded(name, options);
    for (const at of boxes(bytes, 'OggS')) {
      const granule = bytes.readBigUInt64LE(at + 2);
      if (granule < 1n << 60n) bytes.writeBigUInt64LE(granule / 20n, at + 2);
    }
    writeFileSync(forged, bytes);
    expect(Math.abs((await audioDuration(forged)) - SECONDS)).toBeLessThan(0.2);
  });

  it('where several are concatenated', async () => {
    const files = [recorded('c.opus', ['-c:a', 'libopus'], 4), recorded('c.ogg', ['-c:a', 'libvorbis'], 5)];
    writeFileSync(forged, Buffer.concat([...files, ...files]));
    expect(Math.abs((await audioDuration(forged)) - 18)).toBeLessThan(0.3);
  });
});
