/** Folds names that a case-insensitive reader treats as equal. Go also reads `ſ` as `s` and the Kelvin sign as `k`. */
export function foldCase(name: string): string {
  return name.toUpperCase().toLowerCase();
}
