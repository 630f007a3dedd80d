import { expect, it } from 'vitest';
import { compileRedaction } from '../../../../../src/gateway/content/redaction/redact.ts';
import { detectorNames } from '../../../../../src/gateway/content/redaction/rules.ts';
import {
  CONTEXT_LENGTH,
  searchWindows,
  WINDOW_LENGTH,
} from '../../../../../src/gateway/content/redaction/search-windows.ts';

const all = { detectors: detectorNames, customPatterns: [{ name: 'ticket', pattern: 'TICKET-[0-9]+' }] };
/** Code units of one turn, and of the longest search. */
const MAX_TURN = 262_144 + 4 * (WINDOW_LENGTH + 2 * CONTEXT_LENGTH);

/** Redacts in turns. @returns how many there were besides the last one */
async function redact(value: unknown, rules = all) {
  let turns = 0;
  const endOfTurn = async (): Promise<void> => void turns++;
  return { ...(await compileRedaction(rules).redactInTurns(value, endOfTurn)), turns };
}

it('redacts a short document in one turn', async () => {
  const { value, turns } = await redact({ messages: [{ content: 'Mail jane@example.com' }] });
  expect([value, turns]).toEqual([{ messages: [{ content: 'Mail [redacted:email]' }] }, 0]);
});

it('redacts a text of megabytes in as many turns as its searches need', async () => {
  const text = 'Some words. '.repeat(250_000);
  const { value, turns } = await redact({ content: text });
  expect(value).toEqual({ content: text });
  // Six detectors, and an expression that counts four times, each over the whole text.
  expect(turns).toBeGreaterThanOrEqual(Math.floor((text.length * 10) / MAX_TURN));
});

it('redacts many short texts in turns, also in JSON within a text', async () => {
  const messages = Array.from({ length: 5_000 }, (_, at) => ({ content: `Message ${at} ${'word '.repeat(50)}` }));
  expect((await redact({ messages })).turns).toBeGreaterThan(20);
  expect((await redact({ arguments: JSON.stringify(messages) })).turns).toBeGreaterThan(20);
});

it('gives a search no more than a window with its context at once', () => {
  const text = 'x'.repeat(1_000_000);
  const lengths: number[] = [];
  const searched = [
    ...searchWindows(
      text,
      (part) => lengths.push(part.length),
      () => undefined,
    ),
  ];
  expect(Math.max(...lengths)).toBeLessThanOrEqual(WINDOW_LENGTH + 2 * CONTEXT_LENGTH);
  expect(searched).toEqual(lengths);
});

it('finds what lies across the edge of a window, once', async () => {
  const samples = [
    ['jane.doe@example.com', 'email'],
    ['4111 1111 1111 1111', 'card'],
    ['DE89 3704 0044 0532 0130 00', 'iban'],
    ['+49 30 1234567', 'phone'],
    ['TICKET-123456', 'ticket'],
    [`sk-${'a1B2c3D4'.repeat(6)}`, 'secret'],
  ] as const;
  for (const [sample, name] of samples)
    for (const edge of [
      WINDOW_LENGTH,
      WINDOW_LENGTH - CONTEXT_LENGTH,
      WINDOW_LENGTH + CONTEXT_LENGTH,
      WINDOW_LENGTH * 2,
    ])
      for (let shift = 0; shift <= sample.length + 1; shift++) {
        const before = `${'x '.repeat(edge)}`.slice(0, edge - shift - 1);
        const after = ' y'.repeat(WINDOW_LENGTH);
        const { value, counts } = await redact(`${before} ${sample}${after}`);
        expect([value === `${before} [redacted:${name}]${after}`, counts]).toEqual([true, { [name]: 1 }]);
      }
});

it('finds what is longer than a window as a whole', async () => {
  const filler = 'word '.repeat(20_000);
  const key = `-----BEGIN PRIVATE KEY-----\n${'QUJD\n'.repeat(30_000)}-----END PRIVATE KEY-----`;
  const endless = `-----BEGIN PRIVATE KEY-----\n${'QUJD\n'.repeat(30_000)}`;
  expect((await redact(`${filler}${key} jane@example.com ${filler}`)).value).toBe(
    `${filler}[redacted:secret] [redacted:email] ${filler}`,
  );
  expect((await redact(`${filler}${endless}`)).value).toBe(`${filler}[redacted:secret]`);
  expect((await redact(`${filler}TICKET-${'1'.repeat(200_000)} ${filler}`)).value).toBe(
    `${filler}[redacted:ticket] ${filler}`,
  );
});

it('searches a match that never ends in linear time', () => {
  const text = 'a'.repeat(4_000_000);
  let searched = 0;
  const found: unknown[] = [];
  const whole = (part: string, report: (start: number, end: number) => void): void => report(0, part.length);
  for (const length of searchWindows(text, whole, (start, end) => found.push([start, end]))) searched += length;
  expect(found).toEqual([[0, text.length]]);
  expect(searched).toBeLessThanOrEqual(text.length * 3);
});
