/** A condition on a row; each `?` is bound to the next of `values`. */
export interface RowCondition {
  readonly sql: string;
  readonly values: readonly unknown[];
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Joins the conditions for a statement with these parameters; their values are appended. */
export function numbered(conditions: readonly RowCondition[], parameters: unknown[]): string {
  return conditions
    .map(({ sql, values }) => {
      const rest = [...values];
      return ` and ${sql.replaceAll('?', () => `$${parameters.push(rest.shift())}`)}`;
    })
    .join('');
}
