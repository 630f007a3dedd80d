import type { Selection } from './select-tests.ts';

/** What somebody should know of a selection beside what runs, a line each. */
export function selectionNotes({ unmapped, notRun }: Selection): string[] {
  const notes: string[] = [];
  if (unmapped.length > 0)
    notes.push(
      `Test files that test/coverage/map.json does not contain: ${unmapped.length}. A change of the sources runs all of them. ` +
        'To record the map again: npm run test:coverage (it runs all lanes).',
    );
  const files = notRun.filter((each) => each.startsWith('test/'));
  if (files.length > 0) notes.push(`Not run: ${files.join(', ')}. To run: npm test -- ${files.join(' ')}`);
  for (const lane of notRun.filter((each) => !files.includes(each)))
    notes.push(`Not run: the ${lane} lane. To run: npm run test:${lane}`);
  return notes;
}
