/** The built-in detectors: what each finds is replaced by `[redacted:<name>]`. */
export const detectorNames = ['email', 'phone', 'card', 'iban', 'ip', 'secret'] as const;
export type DetectorName = (typeof detectorNames)[number];

/** An expression of an account, in the syntax of RE2. */
export interface CustomPattern {
  /** Stands in replacements and counts: 1 to 40 lower-case letters, digits and hyphens, and no detector's name. */
  readonly name: string;
  readonly pattern: string;
}

export interface RedactionRules {
  readonly detectors: readonly DetectorName[];
  /** At most MAX_CUSTOM_PATTERNS. */
  readonly customPatterns: readonly CustomPattern[];
}

/** Found matches by name of the detector or pattern. Names without a match are absent. */
export type RedactionCounts = Record<string, number>;
