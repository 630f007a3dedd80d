import { request } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Target } from './load.ts';
import { residentKb, start } from './processes.ts';
import { RECORDING_BYTES, RECORDING_TYPE, recordingForm } from './recording.ts';
import { startSluice } from './targets.ts';

const MEGABYTE = 1024 * 1024;
const AT_ONCE = 50;
const SAMPLE_MS = 5;
const ROUNDS = 3;

/** What it must stay below, in MB. */
const MAX_GROWTH = 20;
const MAX_RESIDENT_MB = 600;

export interface MediaMemory {
  readonly restMb: number;
  /** More than at rest, at the highest, while one recording passes. */
  readonly oneMb: number;
  /** All that is resident, at the highest, while fifty pass. */
  readonly fiftyMb: number;
}

/**
 * Uploads recordings of 25 MB to the built server on server PostgreSQL, and looks at what its process holds: with one of them,
 * and with fifty at once. The highest of a few rounds counts.
 * @throws where an upload fails
 */
export async function measureMediaMemory(say: (text: string) => void): Promise<MediaMemory> {
  const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
  const upstream = await start([here('media-upstream.ts')], /ready \d+/);
  const port = /ready (\d+)/.exec(upstream.output())?.[1] ?? '';
  const server = await startSluice(`http://127.0.0.1:${port}`);
  const upload = (bytes: number): Promise<void> => transcribe(server, bytes);
  try {
    // What is loaded at the first of its kind is no upload's.
    for (let warmUp = 0; warmUp < 3; warmUp++) await upload(MEGABYTE);
    await rest();
    const restMb = megabytes(residentKb(server.pid));
    say(`at rest: ${restMb.toFixed(0)} MB`);
    const ones: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const before = megabytes(residentKb(server.pid));
      const highest = await highestDuring(server.pid, () => upload(RECORDING_BYTES));
      ones.push(highest - before);
      say(`one recording of 25 MB: ${(highest - before).toFixed(1)} MB more`);
      await rest();
    }
    const fifties: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const highest = await highestDuring(server.pid, () =>
        Promise.all(Array.from({ length: AT_ONCE }, () => upload(RECORDING_BYTES))),
      );
      fifties.push(highest);
      say(`${AT_ONCE} at once: ${highest.toFixed(0)} MB resident`);
      await rest();
    }
    return { restMb, oneMb: Math.max(...ones), fiftyMb: Math.max(...fifties) };
  } finally {
    await server.stop();
    await upstream.stop();
  }
}

/** Streams a WAV of so many bytes, from one small buffer. */
function transcribe({ url, headers }: Target, bytes: number): Promise<void> {
  const { head, soundBytes, end } = recordingForm(bytes);
  const sound = Buffer.alloc(64 * 1024);
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}/v1/audio/transcriptions`,
      {
        method: 'POST',
        agent: false,
        headers: {
          ...headers,
          'content-type': RECORDING_TYPE,
          'content-length': head.length + soundBytes + end.length,
        },
      },
      (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (text: string) => (body += text));
        answer.on('end', () => {
          if (answer.statusCode === 200 && body.includes('Hello.')) resolve();
          else reject(new Error(`status ${answer.statusCode}: ${body}`));
        });
      },
    );
    sent.on('error', reject).write(head);
    let left = soundBytes;
    const more = (): void => {
      while (left > 0) {
        const piece = sound.subarray(0, Math.min(left, sound.length));
        left -= piece.length;
        if (!sent.write(piece)) return void sent.once('drain', more);
      }
      sent.end(end);
    };
    more();
  });
}

async function highestDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  let highest = 0;
  const look = (): void => {
    highest = Math.max(highest, megabytes(residentKb(pid)));
  };
  const looking = setInterval(look, SAMPLE_MS);
  try {
    await work();
  } finally {
    clearInterval(looking);
  }
  look();
  return highest;
}

function megabytes(kb: number): number {
  return kb / 1024;
}

async function rest(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 3_000));
}

/** @returns whether all stays within its bounds */
export async function reportMediaMemory(): Promise<boolean> {
  const { oneMb, fiftyMb } = await measureMediaMemory((text) => process.stderr.write(`${text}\n`));
  process.stdout.write(
    `A recording of 25 MB: at most ${oneMb.toFixed(1)} MB more (bound: ${MAX_GROWTH}).\n` +
      `${AT_ONCE} at once: at most ${fiftyMb.toFixed(0)} MB resident (bound: ${MAX_RESIDENT_MB}).\n`,
  );
  return oneMb <= MAX_GROWTH && fiftyMb < MAX_RESIDENT_MB;
}

if (import.meta.main) process.exit((await reportMediaMemory()) ? 0 : 1);
