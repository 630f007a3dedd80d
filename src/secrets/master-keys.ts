/** A secret of the operator, from which keys are derived. */
export interface MasterKey {
  /** Written into what is encrypted and stored with what is hashed: 1 to 32,767. */
  readonly version: number;
  readonly masterKey: string;
  /** Since when it encrypts, in ms since the epoch; absent for the first one. */
  readonly activeSince?: number;
}

/** One key alone has version 1. In a list the first one encrypts. */
export type MasterKeySource = MasterKeys | readonly [MasterKey, ...MasterKey[]] | string;

/**
 * The master keys that a process knows: the current one, which encrypts and hashes, and others, which still decrypt and verify.
 * During a rotation another one becomes the current one while the process runs.
 */
export class MasterKeys {
  #known: readonly [MasterKey, ...MasterKey[]];

  /** @param known the current one first */
  constructor(known: readonly [MasterKey, ...MasterKey[]]) {
    this.#known = known;
  }

  static of(source: MasterKeySource): MasterKeys {
    if (source instanceof MasterKeys) return source;
    return new MasterKeys(typeof source === 'string' ? [{ version: 1, masterKey: source }] : source);
  }

  get current(): MasterKey {
    return this.#known[0];
  }

  /** The current one first. */
  get known(): readonly [MasterKey, ...MasterKey[]] {
    return this.#known;
  }

  find(version: number): MasterKey | null {
    return this.#known.find((key) => key.version === version) ?? null;
  }

  /** The key that was the current one at a time, or the current one where that is not known any more. */
  activeAt(time: number): MasterKey {
    const earlier = this.#known.filter(
      ({ version, activeSince = 0 }) => version <= this.current.version && activeSince <= time,
    );
    return earlier.sort((one, other) => other.version - one.version)[0] ?? this.current;
  }

  /** Makes a known key the current one. */
  activate(version: number, activeSince: number): void {
    const key = this.find(version);
    if (key === null) throw new RangeError(`There is no master key of version ${version}`);
    this.#known = [{ ...key, activeSince }, ...this.#known.filter((other) => other !== key)];
  }
}
