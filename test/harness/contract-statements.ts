/** A migration as text. */
export interface MigrationText {
  readonly name: string;
  readonly text: string;
}

/** A statement that breaks code which was written for the schema before it. */
export interface ContractStatement {
  readonly migration: string;
  readonly table: string;
  /** What it does, as a person reads it. */
  readonly effect: string;
}

/** In a migration that only removes what an earlier release stopped using: which release, and why. */
const mark = /^\s*\/\/ contract since (\S+): \S.+$/m;
const name = String.raw`(?:if (?:not )?exists )?"?([a-z_]+)"?`;
const created = new RegExp(String.raw`\bcreate table ${name}`, 'gi');
const uniqueIndex =
  /\bcreate unique index (?:concurrently )?(?:if not exists )?"?([a-z_0-9]+)"? on (?:only )?"?([a-z_]+)"?/gi;

/** Of an `alter table` of a table; `$1` is the column or constraint. */
const alterations: readonly (readonly [pattern: RegExp, effect: string])[] = [
  [/\bdrop column (?:if exists )?"?(\w+)"?/gi, 'drops the column'],
  [/\brename column "?(\w+)"?/gi, 'renames the column'],
  [/\brename (?!column|constraint)(?:to )?"?(\w+)"?/gi, 'renames'],
  [/\balter (?:column )?"?(\w+)"? (?:set data )?type\b/gi, 'changes the type of'],
  [/\balter (?:column )?"?(\w+)"? set not null/gi, 'requires a value of'],
  [/\balter (?:column )?"?(\w+)"? drop default/gi, 'removes the default of'],
  [/\badd constraint "?(\w+)"? check\b/gi, 'checks values by'],
  [/\badd constraint "?(\w+)"? (?:unique|primary key)\b/gi, 'requires unique values by'],
  [/\bdrop constraint (?:if exists )?"?(\w+_(?:pkey|unique|key))"?/gi, 'drops the unique constraint'],
];

/**
 * Statements of migrations that code of the release before them does not expect: what it reads or writes is missing or refused, or
 * an upsert has no unique index. Tables that came later are unknown to it. Migrations that say since when nothing uses it are
 * left out.
 * @param before migrations that the release has @param after later ones
 */
export function contractStatements(
  before: readonly MigrationText[],
  after: readonly MigrationText[],
): readonly ContractStatement[] {
  const known = new Set(before.flatMap(({ text }) => [...upOf(text).matchAll(created)].map(([, table]) => table)));
  const unique = new Map(
    before.flatMap(({ text }) => [...upOf(text).matchAll(uniqueIndex)].map(([, index, table]) => [index, table])),
  );
  return after
    .filter(({ text }) => !mark.test(text))
    .flatMap(({ name: migration, text }) =>
      statementsOf(upOf(text)).flatMap((statement) =>
        effectsOf(statement, unique).map((effect) => ({ migration, ...effect })),
      ),
    )
    .filter(({ table }) => known.has(table));
}

/** The part that is run in an upgrade, without comments. */
function upOf(text: string): string {
  const down = text.search(/\boverride (?:async )?down\(/);
  return (down === -1 ? text : text.slice(0, down)).replaceAll(/^\s*\/\/.*$/gm, '').replaceAll(/--.*$/gm, '');
}

function statementsOf(text: string): string[] {
  return text.split(/;|`/).map((part) => part.replaceAll(/\s+/g, ' ').trim());
}

function effectsOf(
  statement: string,
  unique: ReadonlyMap<string | undefined, string | undefined>,
): readonly Omit<ContractStatement, 'migration'>[] {
  const dropped = new RegExp(String.raw`^drop table ${name}`, 'i').exec(statement)?.[1];
  if (dropped !== undefined) return [{ table: dropped, effect: 'drops the table' }];
  const index = /^drop index (?:concurrently )?(?:if exists )?"?([a-z_0-9]+)"?/i.exec(statement)?.[1];
  const indexed = unique.get(index);
  if (index !== undefined && indexed !== undefined)
    return [{ table: indexed, effect: `drops the unique index ${index}` }];
  const made = new RegExp(uniqueIndex.source, 'i').exec(statement);
  if (made !== null) return [{ table: made[2] ?? '', effect: `requires unique values by ${made[1]}` }];
  const altered = new RegExp(String.raw`^alter table (?:only )?${name} (.*)$`, 'i').exec(statement);
  if (altered === null) return [];
  const [, table = '', change = ''] = altered;
  const effects = alterations.flatMap(([pattern, effect]) =>
    [...change.matchAll(pattern)].map(([, of]) => ({ table, effect: `${effect} ${of}` })),
  );
  return [
    ...effects,
    ...requiredColumns(change).map((column) => ({ table, effect: `adds ${column}, which needs a value` })),
  ];
}

/** New columns that are not null and have no default. */
function requiredColumns(change: string): string[] {
  return change
    .split(/, (?=add )/i)
    .filter((part) => /\bnot null\b/i.test(part) && !/\b(?:default|generated)\b/i.test(part))
    .flatMap((part) => /^add (?:column )?(?:if not exists )?"?(?!constraint\b)(\w+)"?/i.exec(part)?.[1] ?? []);
}
