import type { ClientBase } from 'pg';

/** A dedicated connection; parameters are bound by the server. */
export type SqlClient = Pick<ClientBase, 'query'>;

export interface SqlQueries {
  /** One statement outside any transaction. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}
