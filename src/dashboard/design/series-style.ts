/** Fill patterns, so that series can be distinguished without colour. */
const textures = ['solid', 'stripes', 'dots', 'counterstripes', 'grid', 'rows'] as const;
export type Texture = (typeof textures)[number];

export interface SeriesStyle {
  /** A CSS colour. */
  readonly colour: string;
  readonly texture: Texture;
}

/** Style of the aggregated rest. */
export const otherStyle: SeriesStyle = { colour: 'var(--color-edge)', texture: 'rows' };

/** Number of lightness levels of the colours. Each has two colours, which alternate by texture. */
const SHADES = 4;
export const MAX_STYLES = SHADES * textures.length;

export type StyleStorage = Pick<Storage, 'getItem' | 'setItem'>;

/**
 * Assigns each name a stable style, on every page and after a reload. Names requested together have different styles, up to
 * `MAX_STYLES`. When all styles are used, a new name gets the style of the least recently shown name.
 */
export class StyleAssignment {
  readonly #storage: StyleStorage | null;
  readonly #key: string;
  /** By hash, so that no names are stored; least recently shown first. */
  #slots = new Map<number, number>();

  /** @param key storage key */
  constructor(storage: StyleStorage | null, key: string) {
    this.#storage = storage;
    this.#key = key;
  }

  stylesOf(names: readonly string[]): SeriesStyle[] {
    const hashes = names.map(hashOf);
    if (hashes.some((hash) => !this.#slots.has(hash))) this.#readStored();
    for (const hash of hashes) {
      const slot = this.#slots.get(hash);
      if (slot === undefined) continue;
      this.#slots.delete(hash);
      this.#slots.set(hash, slot);
    }
    const missing = hashes.filter((hash) => !this.#slots.has(hash));
    for (const hash of missing) this.#assign(hash, hashes);
    if (missing.length > 0) this.#store();
    return hashes.map((hash) => styleOfSlot(this.#slots.get(hash) ?? hash % MAX_STYLES));
  }

  #assign(hash: number, together: readonly number[]): void {
    if (this.#slots.has(hash)) return;
    const slot = this.#freeSlot(hash) ?? this.#release(together);
    if (slot !== undefined) this.#slots.set(hash, slot);
  }

  /** Deterministic where free; solid colours first. */
  #freeSlot(hash: number): number | undefined {
    const taken = new Set(this.#slots.values());
    for (let texture = 0; texture < textures.length; texture += 1)
      for (let step = 0; step < SHADES; step += 1) {
        const slot = texture * SHADES + ((hash + step) % SHADES);
        if (!taken.has(slot)) return slot;
      }
    return undefined;
  }

  #release(together: readonly number[]): number | undefined {
    for (const [hash, slot] of this.#slots)
      if (!together.includes(hash)) {
        this.#slots.delete(hash);
        return slot;
      }
    return undefined;
  }

  /** Another tab may have assigned a style in the meantime. */
  #readStored(): void {
    const taken = new Set(this.#slots.values());
    const merged = new Map<number, number>();
    for (const [hash, slot] of storedSlots(this.#storage?.getItem(this.#key)))
      if (!this.#slots.has(hash) && !taken.has(slot)) {
        merged.set(hash, slot);
        taken.add(slot);
      }
    for (const [hash, slot] of this.#slots) merged.set(hash, slot);
    this.#slots = merged;
  }

  #store(): void {
    try {
      this.#storage?.setItem(this.#key, JSON.stringify([...this.#slots]));
    } catch {
      // A full storage: styles are kept until the page is loaded again.
    }
  }
}

function styleOfSlot(slot: number): SeriesStyle {
  const texture = Math.floor(slot / SHADES);
  const hue = 2 * (slot % SHADES) + (texture % 2) + 1;
  return { colour: `var(--color-hue-${hue})`, texture: textures[texture] ?? 'solid' };
}

function storedSlots(text: string | null | undefined): [hash: number, slot: number][] {
  try {
    const stored: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(stored) ? stored.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(value: unknown): value is [number, number] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [hash, slot]: unknown[] = value;
  return Number.isInteger(hash) && typeof slot === 'number' && Number.isInteger(slot) && slot >= 0 && slot < MAX_STYLES;
}

/** FNV-1a, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(name)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

/** What the names of a chart are of. Each kind has all styles: no chart has names of several. */
export type SeriesKind = 'model' | 'key' | 'provider' | 'capability' | 'tag' | 'member' | 'user' | 'error';

const assignments = new Map<SeriesKind, StyleAssignment>();

/** Styles of names that are shown together. */
export function seriesStyles(kind: SeriesKind, names: readonly string[]): SeriesStyle[] {
  const assignment = assignments.get(kind) ?? new StyleAssignment(localStorage, `sluice_series_${kind}`);
  assignments.set(kind, assignment);
  return assignment.stylesOf(names);
}

export function modelStyle(name: string): SeriesStyle {
  return seriesStyles('model', [name])[0] ?? otherStyle;
}
