import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A tone of so many seconds, as FFmpeg encodes it to a pipe. */
export function madeByFfmpeg(seconds: number, options: readonly string[]): Buffer {
  const tone = `sine=frequency=440:sample_rate=48000:duration=${seconds}`;
  return execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', tone, ...options, 'pipe:1'], {
    maxBuffer: 64 * 1024 * 1024,
  });
}

/** How long a file is, by decoding all of it. @throws where FFmpeg finds any fault in it */
export function probedSeconds(audio: Buffer, options: readonly string[] = []): number {
  return probed(audio, options).seconds;
}

export interface Probed {
  readonly seconds: number;
  readonly codec: string;
  readonly rate: number;
  readonly channels: number;
  /** Of the decoded samples: 0 for silence, 1 for the loudest. */
  readonly loudness: number;
}

export function probed(audio: Buffer, options: readonly string[] = []): Probed {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-audio-'));
  try {
    const file = join(folder, 'audio');
    writeFileSync(file, audio);
    const asked = ['-v', 'error', ...options, '-show_entries', 'stream=codec_name,sample_rate,channels', '-of', 'json'];
    const shown = execFileSync('ffprobe', [...asked, file]);
    const [stream] = JSON.parse(shown.toString()).streams;
    const decoding = ['-v', 'error', ...options, '-i', file, '-f', 's16le', '-ac', '1', '-ar', '48000', 'pipe:1'];
    const decoded = spawnSync('ffmpeg', decoding, { maxBuffer: 256 * 1024 * 1024 });
    if (decoded.status !== 0 || decoded.stderr.length > 0) throw new Error(`ffmpeg: ${decoded.stderr.toString()}`);
    const samples = decoded.stdout;
    let loudest = 0;
    for (let at = 0; at + 1 < samples.length; at += 2) loudest = Math.max(loudest, Math.abs(samples.readInt16LE(at)));
    return {
      seconds: samples.length / 2 / 48_000,
      codec: stream.codec_name,
      rate: Number(stream.sample_rate),
      channels: stream.channels,
      loudness: loudest / 32_768,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
