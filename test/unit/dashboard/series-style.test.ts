import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_STYLES, StyleAssignment, type StyleStorage } from '../../../src/dashboard/design/series-style.ts';

const names = Array.from({ length: MAX_STYLES * 2 }, (_, index) => `provider-${index % 7}/model-${index}`);

function memory(): StyleStorage {
  const items = new Map<string, string>();
  return { getItem: (key) => items.get(key) ?? null, setItem: (key, value) => void items.set(key, value) };
}

function assign(storage: StyleStorage | null): StyleAssignment {
  return new StyleAssignment(storage, 'series');
}

describe('the styles of series', () => {
  it('are independent of other names and of their order', () => {
    const assignment = assign(memory());
    const shown = names.slice(0, MAX_STYLES);
    const first = new Map(shown.map((name, index) => [name, assignment.stylesOf(shown)[index]]));
    fc.assert(
      fc.property(fc.shuffledSubarray(shown), (some) => {
        expect(assignment.stylesOf(some)).toEqual(some.map((name) => first.get(name)));
      }),
    );
  });

  it('are the same after a reload and in another tab', () => {
    const storage = memory();
    const tab = assign(storage);
    const before = assign(storage).stylesOf(names.slice(0, 12));
    expect(tab.stylesOf(names.slice(6, 12))).toEqual(before.slice(6));
    expect(assign(storage).stylesOf(names.slice(0, 12).toReversed())).toEqual(before.toReversed());
  });

  it('differ among names that are shown together', () => {
    const assignment = assign(memory());
    fc.assert(
      fc.property(fc.shuffledSubarray(names, { maxLength: MAX_STYLES }), (some) => {
        const styles = assignment.stylesOf(some).map(({ colour, texture }) => `${colour} ${texture}`);
        expect(new Set(styles).size).toBe(some.length);
      }),
    );
  });

  it('use solid colours first, and each colour once before one repeats', () => {
    const styles = assign(memory()).stylesOf(names.slice(0, 8));
    expect(styles.slice(0, 4).map(({ texture }) => texture)).toEqual(Array(4).fill('solid'));
    expect(new Set(styles.map(({ colour }) => colour)).size).toBe(8);
  });

  it('are assigned when the storage is absent, full or invalid', () => {
    const full: StyleStorage = {
      getItem: () => '{"a": [1, 99]}',
      setItem: () => {
        throw new DOMException('full', 'QuotaExceededError');
      },
    };
    for (const storage of [null, full, { ...memory(), getItem: () => '[[1, 99], ["x", 0], 7' }])
      expect(
        new Set(
          assign(storage)
            .stylesOf(['a', 'b'])
            .map(({ colour }) => colour),
        ).size,
      ).toBe(2);
  });

  it('leave no name in the storage', () => {
    const stored: string[] = [];
    assign({ getItem: () => null, setItem: (_, value) => void stored.push(value) }).stylesOf(['Payroll']);
    expect(stored).toHaveLength(1);
    expect(stored.join()).not.toContain('Payroll');
  });
});

describe('the colours of series', () => {
  const tokens = readFileSync(new URL('../../../src/dashboard/design/tokens.css', import.meta.url), 'utf8');
  const found = [...tokens.matchAll(/--color-(hue-\d+|page): light-dark\((#\w{6}), (#\w{6})\)/g)];
  const themes = [2, 3].map((group) => new Map(found.map((match) => [match[1] ?? '', rgbOf(match[group] ?? '')])));

  it.each([
    ['light', themes[0]],
    ['dark', themes[1]],
  ])('are visible and distinguishable in the %s theme', (_, colours = new Map()) => {
    const page = colours.get('page') ?? [0, 0, 0];
    const hues = [...colours].filter(([name]) => name !== 'page').map(([, colour]) => colour);
    expect(hues).toHaveLength(8);
    for (const hue of hues) expect(contrast(hue, page)).toBeGreaterThan(3);
    for (const [one, other] of pairsOf(hues)) expect(distance(one, other)).toBeGreaterThan(MIN_DISTANCE);
  });

  it.each([
    ['light', themes[0]],
    ['dark', themes[1]],
  ])(
    'can be told apart in the %s theme with little or no colour vision, by brightness or texture',
    (_, colours = new Map()) => {
      const styles = assign(memory()).stylesOf(names.slice(0, MAX_STYLES));
      for (const [one, other] of pairsOf(styles)) {
        if (one.texture !== other.texture) continue;
        const [a, b] = [one, other].map(({ colour }) => colours.get(/--color-(hue-\d)/.exec(colour)?.[1] ?? ''));
        for (const view of Object.values(deficiencies))
          expect(distance(seenBy(view, a ?? black), seenBy(view, b ?? black))).toBeGreaterThan(MIN_DISTANCE_SEEN);
      }
    },
  );
});

const MIN_DISTANCE = 0.13;
const MIN_DISTANCE_SEEN = 0.09;
const black: Rgb = [0, 0, 0];

function pairsOf<T>(all: readonly T[]): (readonly [T, T])[] {
  return all.flatMap((one, index) => all.slice(0, index).map((other) => [one, other] as const));
}

type Rgb = readonly [number, number, number];
type Matrix = readonly [Rgb, Rgb, Rgb];

const luminance: Rgb = [0.2126, 0.7152, 0.0722];

/** Machado, Oliveira and Fernandes 2009, severity 1.0: https://www.inf.ufrgs.br/~oliveira/pubs_files/CVD_Simulation/CVD_Simulation.html */
const deficiencies: Readonly<Record<string, Matrix>> = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
  achromatopsia: [luminance, luminance, luminance],
};

/** Linear light, 0 to 1. */
function rgbOf(hex: string): Rgb {
  const part = (at: number): number => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [part(1), part(3), part(5)];
}

function seenBy(matrix: Matrix, colour: Rgb): Rgb {
  const part = ([r, g, b]: Rgb): number => Math.min(1, Math.max(0, r * colour[0] + g * colour[1] + b * colour[2]));
  return [part(matrix[0]), part(matrix[1]), part(matrix[2])];
}

/** In Oklab: https://bottosson.github.io/posts/oklab/ */
function distance(one: Rgb, other: Rgb): number {
  const [a, b] = [oklab(one), oklab(other)];
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

function oklab([r, g, b]: Rgb): Rgb {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function contrast(one: Rgb, other: Rgb): number {
  const light = (colour: Rgb): number => luminance.reduce((sum, part, at) => sum + part * (colour[at] ?? 0), 0.05);
  const [a, b] = [light(one), light(other)];
  return Math.max(a, b) / Math.min(a, b);
}
