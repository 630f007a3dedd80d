import { execFileSync, spawnSync } from 'node:child_process';

/** Seconds of a file's sound, as ffmpeg decodes it: no header is believed. */
export function decodedSeconds(path: string): number {
  const { stdout } = spawnSync('ffmpeg', ['-v', 'error', '-i', path, '-f', 's16le', '-ac', '1', '-ar', '8000', '-'], {
    maxBuffer: 512 * 1024 * 1024,
  });
  return stdout.length / 2 / 8_000;
}

/** Makes a recording of a wandering tone. @param options ffmpeg's, for its output */
export function record(path: string, seconds: number, options: readonly string[] = []): void {
  const source = `aevalsrc=sin(2*PI*t*(300+200*sin(t))):s=44100:d=${seconds}`;
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', source, ...options, path]);
}
