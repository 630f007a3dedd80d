const HUES = 8;
const given = new Map<string, number>();

/** The colour of a model, a provider or a key: the same on every chart, in the order in which they are first met. */
export function hueOf(name: string): string {
  const place = given.get(name) ?? given.size;
  given.set(name, place);
  return `var(--color-hue-${(place % HUES) + 1})`;
}
