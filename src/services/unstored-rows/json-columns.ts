/** The columns of a table whose rows PostgreSQL reads from a JSON array, as SQL. */
export interface JsonColumns {
  /** `a, b`. */
  readonly names: string;
  /** `a uuid, b text`: the definition list of `json_to_recordset`. */
  readonly declared: string;
}

/** @param types PostgreSQL's types by the names of the columns */
export function jsonColumns(types: Readonly<Record<string, string>>): JsonColumns {
  const declared = Object.entries(types).map(([name, type]) => `${name} ${type}`);
  return { names: Object.keys(types).join(', '), declared: declared.join(', ') };
}
