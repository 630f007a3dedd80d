import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';

const PATIENCE_MS = 120_000;

/** The link of the last message to somebody whose subject begins so, as the server wrote it into its data folder. */
export function linkTo(dataDir: string, to: string, subject: string, count = 1): Promise<string> {
  return vi.waitFor(
    () => {
      const found = readAll(join(dataDir, 'mail')).filter(
        (text) => headerOf(text, 'To') === to && headerOf(text, 'Subject').startsWith(subject),
      );
      if (found.length < count) throw new Error(`there are ${found.length} messages "${subject}" to ${to}`);
      return /https?:\/\/\S+/.exec(found.at(-1) ?? '')?.[0] ?? '';
    },
    { timeout: PATIENCE_MS, interval: 50 },
  );
}

/** In the order in which they were written: their names begin with the time. */
function readAll(folder: string): string[] {
  try {
    return readdirSync(folder)
      .toSorted()
      .map((name) => decoded(readFileSync(join(folder, name), 'utf8')));
  } catch {
    return [];
  }
}

function headerOf(text: string, name: string): string {
  return new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1]?.trim() ?? '';
}

/** Quoted-printable undone; enough for what is sent here. */
function decoded(raw: string): string {
  return raw
    .replaceAll('\r\n', '\n')
    .replaceAll('=\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
