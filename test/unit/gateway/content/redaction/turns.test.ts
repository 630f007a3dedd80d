import { expect, it } from 'vitest';
import { systemClock } from '../../../../../src/calendar/clock.ts';
import { compileRedaction } from '../../../../../src/gateway/content/redaction/redact.ts';
import { detectorNames } from '../../../../../src/gateway/content/redaction/rules.ts';
import {
  CONTEXT_LENGTH,
  searchWindows,
  WINDOW_LENGTH,
} from '../../../../../src/gateway/content/redaction/search-windows.ts';

const all = { detectors: detectorNames, customPatterns: [{ name: 'ticket', pattern: 'TICKET-[0-9]+' }] };
/** Code units of one turn of detectors, and of the longest search. */
const MAX_TURN = 262_144 + WINDOW_LENGTH + 2 * CONTEXT_LENGTH;

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
  // Six detectors in windows, and an expression over the whole text.
  expect(turns).toBeGreaterThanOrEqual(Math.floor((text.length * 6) / MAX_TURN) + 1);
});

it('redacts many short texts in turns, also in JSON within a text', async () => {
  const messages = Array.from({ length: 5_000 }, (_, at) => ({ content: `Message ${at} ${'word '.repeat(50)}` }));
  expect((await redact({ messages })).turns).toBeGreaterThan(20);
  expect((await redact({ arguments: JSON.stringify(messages) })).turns).toBeGreaterThan(20);
});

it('gives a search no more than a window with its context at once', () => {
  const text = 'x '.repeat(500_000);
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

const PLACEMENTS = 40;
/** Texts of 40 to 300 kB, of words, with something in each of 40 places. */
const placements = Array.from({ length: PLACEMENTS }, (_, at) => {
  const length = 40_000 + Math.round((260_000 * at) / (PLACEMENTS - 1));
  const place = Math.round((length * ((at * 17) % PLACEMENTS)) / PLACEMENTS);
  return {
    before: 'some words of filler, '.repeat(length / 22 + 1).slice(0, place),
    after: ' more'.repeat((length - place) / 5),
  };
});

async function missedPlacements(found: string, name: string, rules = all): Promise<number[]> {
  const missed: number[] = [];
  for (const [at, { before, after }] of placements.entries()) {
    const { value } = await redact(`${before} ${found}${after}`, rules);
    if (value !== `${before} [redacted:${name}]${after}`) missed.push(at);
  }
  return missed;
}

it.each([3_000, 9_000, 20_000, 40_000])(
  'finds what an expression matches by its end, of %i characters',
  async (length) => {
    const rules = {
      detectors: detectorNames,
      customPatterns: [{ name: 'marked', pattern: '(?s)<secret>.*?</secret>' }],
    };
    const marked = `<secret>${'in words\n'.repeat(length / 9)}</secret>`;
    expect(await missedPlacements(marked, 'marked', rules)).toEqual([]);
  },
);

it.each([
  ['a private key', `-----BEGIN PRIVATE KEY-----\n${'QUJD\n'.repeat(6_000)}-----END PRIVATE KEY-----`],
  ['a token with a long header', `eyJ${'aB3d'.repeat(5_000)}.${'aB3d'.repeat(5_000)}.c2ln`],
  ['a key of two parts', `SG.${'a'.repeat(20_000)}.${'b'.repeat(20)}`],
])('finds %s of more than a window sees, in any place', async (_, secret) => {
  expect(await missedPlacements(secret, 'secret')).toEqual([]);
});

it('ends a turn between the matches of an expression that takes longer', async () => {
  let time = 0;
  const clock = { ...systemClock, monotonic: () => (time += 3) };
  const redactor = compileRedaction({ detectors: [], customPatterns: all.customPatterns }, clock);
  let turns = 0;
  const text = `${'TICKET-7 '.repeat(100)}${'word '.repeat(10_000)}`;
  const { counts } = await redactor.redactInTurns(text, async () => void turns++);
  expect([counts, turns]).toEqual([{ ticket: 100 }, 100]);
});

it('replaces a whole text of which the searches by an expression take too long', () => {
  let time = 0;
  const clock = { ...systemClock, monotonic: () => (time += 300) };
  // Each search reads to the end of the text, and finds one character.
  const rules = { detectors: [], customPatterns: [{ name: 'slow', pattern: 'a.*b|a' }] };
  for (const length of [100, 100_000])
    expect(compileRedaction(rules, clock).redactJson(`start ${'a'.repeat(length)} end`)).toEqual({
      value: '[redacted:slow]',
      counts: { slow: 1 },
    });
});

it('replaces a whole text in which a large expression could take too long', () => {
  const { redactJson } = compileRedaction({
    detectors: [],
    customPatterns: [{ name: 'large', pattern: '(?i)a[a-z0-9]{0,180}z' }],
  });
  const text = 'a word '.repeat(50_000);
  expect(redactJson(text)).toEqual({ value: '[redacted:large]', counts: { large: 1 } });
  expect(redactJson(text.slice(0, 10_000)).counts).toEqual({});
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
