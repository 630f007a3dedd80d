/** @param own included even if this browser does not support it */
export function timeZones(selected: string): string[] {
  const known = new Set(['UTC', selected, ...Intl.supportedValuesOf('timeZone')]);
  return [...known];
}
