/** @param own included even if this browser does not support it */
export function timeZones(own: string): string[] {
  const known = new Set(['UTC', own, ...Intl.supportedValuesOf('timeZone')]);
  return [...known];
}
