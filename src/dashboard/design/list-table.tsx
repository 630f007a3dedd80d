import type { ReactNode } from 'react';

export interface ListColumn<T> {
  readonly name: string;
  readonly title: string;
  readonly align?: 'right';
  /** Minimum page width at which the column is shown. Default: always. */
  readonly from?: 'md' | 'lg';
  readonly cell: (row: T) => ReactNode;
}

/** A table for dozens of rows. The complete row is clickable, by a focusable button. */
export function ListTable<T>({
  label,
  rows,
  columns,
  keyOf,
  nameOf,
  under,
  onOpen,
}: {
  readonly label: string;
  readonly rows: readonly T[];
  /** Columns after the first, which is the name. */
  readonly columns: readonly ListColumn<T>[];
  readonly keyOf: (row: T) => string;
  readonly nameOf: (row: T) => string;
  /** A second line below the name. */
  readonly under?: (row: T) => ReactNode;
  readonly onOpen: (row: T) => void;
}): ReactNode {
  return (
    <table className="w-full border-collapse text-left">
      <caption className="sr-only">{label}</caption>
      <thead className="text-small text-soft">
        <tr>
          <th className="h-4 px-1 font-normal">Name</th>
          {columns.map((column) => (
            <th key={column.name} className={`px-1 font-normal ${classOf(column)}`}>
              {column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} className="relative border-t border-line hover:bg-hover">
            <td className="h-7 min-w-16 px-1 py-0.75 wrap-anywhere">
              <button
                type="button"
                onClick={() => onOpen(row)}
                className="block text-left wrap-anywhere font-strong -outline-offset-2 after:absolute after:inset-0"
              >
                {nameOf(row)}
              </button>
              {under ? <div className="text-small text-soft">{under(row)}</div> : null}
            </td>
            {columns.map((column) => (
              <td key={column.name} className={`px-1 ${classOf(column)}`}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function classOf<T>({ align, from }: ListColumn<T>): string {
  const shown = from === 'lg' ? 'max-lg:hidden' : from === 'md' ? 'max-md:hidden' : '';
  return `${align === 'right' ? 'text-right' : ''} ${shown}`;
}
