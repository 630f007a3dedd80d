/** @param own may be one that this browser does not know */
export function timeZones(own: string): string[] {
  const known = new Set(['UTC', own, ...Intl.supportedValuesOf('timeZone')]);
  return [...known];
}
