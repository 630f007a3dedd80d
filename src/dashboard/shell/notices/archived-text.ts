const monthFormat = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/**
 * Which months between two times are archived: `September 2026 is archived`; null if none is.
 * @param months `2026-09`, in order
 */
export function archivedText(months: readonly string[], from: string, to: string): string | null {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const within = months.filter((month) => {
    const [year = 0, number = 1] = month.split('-').map(Number);
    return Date.UTC(year, number - 1) < end && Date.UTC(year, number) > start;
  });
  const names = within.map((month) => monthFormat.format(new Date(`${month}-01T00:00:00Z`)));
  const [first, last] = [names[0], names.at(-1)];
  if (first === undefined || last === undefined) return null;
  if (names.length === 1) return `${first} is archived`;
  return names.length === 2
    ? `${first} and ${last} are archived`
    : `${names.length} months from ${first} to ${last} are archived`;
}
