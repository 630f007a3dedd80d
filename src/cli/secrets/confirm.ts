import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';

/** Asks for a word. @returns false for another answer, and where the input ends or Ctrl+C is pressed */
export async function confirm(
  question: string,
  word: string,
  streams: { readonly input: NodeJS.ReadableStream; readonly output: NodeJS.WritableStream },
): Promise<boolean> {
  const lines = createInterface(streams);
  try {
    // Where the input ends, Node does not answer the question.
    const ended = once(lines, 'close').then(() => '');
    const answer = lines.question(`${question} Type "${word}" to confirm: `).catch(() => '');
    return (await Promise.race([answer, ended])).trim() === word;
  } finally {
    lines.close();
  }
}
