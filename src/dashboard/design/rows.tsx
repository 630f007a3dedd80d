import { defaultRangeExtractor, useVirtualizer, type Range } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useEffect, useRef, useSyncExternalStore, type KeyboardEvent, type ReactNode } from 'react';
import type { Rows } from '../data/packed-rows.ts';

export interface Column<T> {
  readonly name: string;
  readonly title: ReactNode;
  /** A track of CSS grid: `120px`, `minmax(0, 2fr)`. */
  readonly width: string;
  readonly align?: 'right';
  /** Hidden on narrow pages. */
  readonly wide?: boolean;
  /** What the title sorts by. */
  readonly sort?: string;
  readonly cell: (row: T) => ReactNode;
}

/** The order of the rows, and what a click on a title chooses. */
export interface RowSort {
  readonly by: string;
  readonly descends: boolean;
  readonly onSort: (by: string) => void;
}

/** Pixels: on phones, where names use two lines and the time is below; then below and above the width that shows all columns. */
export interface RowHeights {
  readonly phone: number;
  readonly tablet: number;
  readonly desktop: number;
}

const ROW_HEIGHTS_PX: RowHeights = { phone: 64, tablet: 64, desktop: 44 };
/** Rows rendered above and below the visible ones. */
const OVERSCAN_ROWS = 12;
/** More rows are requested this many rows before the end of the loaded ones. */
const PREFETCH_ROWS = 60;

/**
 * A virtualized table of any length: only visible rows are rendered. Arrow keys, Page Up, Page Down, Home and End move the
 * focus, as do j and k; Enter opens a row.
 */
export function VirtualRows<T>({
  label,
  rows,
  columns,
  keyOf,
  onOpen,
  onNearEnd,
  opened,
  sort,
  isNew,
  heights = ROW_HEIGHTS_PX,
  className = 'h-[60dvh] min-h-40',
}: {
  readonly label: string;
  readonly rows: Rows<T>;
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
  readonly onOpen: (row: T) => void;
  readonly onNearEnd?: () => void;
  readonly opened?: string | null;
  readonly sort?: RowSort;
  /** Rows that just arrived. */
  readonly isNew?: (row: T) => boolean;
  readonly heights?: RowHeights;
  readonly className?: string;
}): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const rowPx = heights[useDevice()];
  const rangeBefore = useRef({ startIndex: 0, endIndex: 0 });
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: OVERSCAN_ROWS,
    // After a jump, only visible rows are rendered until scrolling has paused.
    rangeExtractor: (range: Range) => {
      const { startIndex, endIndex } = rangeBefore.current;
      const isJump = range.startIndex > endIndex || range.endIndex < startIndex;
      rangeBefore.current = range;
      return defaultRangeExtractor(isJump ? { ...range, overscan: 0 } : range);
    },
  });
  useEffect(() => virtualizer.measure(), [virtualizer, rowPx]);
  const visible = virtualizer.getVirtualItems();
  const first = visible[0]?.index ?? 0;
  const end = (visible.at(-1)?.index ?? -1) + 1;
  useEffect(() => {
    if (end > rows.length - PREFETCH_ROWS) onNearEnd?.();
  }, [end, rows.length, onNearEnd]);
  const tracks = gridOf(columns);
  /** The row to focus when it is rendered. */
  const pendingFocus = useRef<number | null>(null);
  const focusPending = (): void => {
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${pendingFocus.current}"]`);
    if (!row) return;
    pendingFocus.current = null;
    // By default it would be scrolled to the middle.
    row.focus({ preventScroll: true });
  };
  useEffect(focusPending);

  const moveFocus = (event: KeyboardEvent, focused: number): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const from = pendingFocus.current ?? focused;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? rowPx) / rowPx) - 1);
    const to = {
      ArrowDown: from + 1,
      ArrowUp: from - 1,
      j: from + 1,
      k: from - 1,
      PageDown: from + page,
      PageUp: from - page,
      Home: 0,
      End: rows.length - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    pendingFocus.current = Math.min(rows.length - 1, Math.max(0, to));
    virtualizer.scrollToIndex(pendingFocus.current);
    focusPending();
  };

  return (
    <div role="table" aria-label={label} aria-rowcount={rows.length} className="figures">
      <div role="rowgroup" className="border-b border-line pr-[var(--bar,0px)]">
        <div
          role="row"
          className={`grid h-4 items-center gap-2 px-1 text-small text-soft ${tracks.className}`}
          style={tracks.style}
        >
          {columns.map((column) => (
            <div role="columnheader" key={column.name} aria-sort={ariaSort(column, sort)} className={cellClass(column)}>
              <ColumnTitle column={column} sort={sort} />
            </div>
          ))}
        </div>
      </div>
      <div ref={scroller} role="rowgroup" className={`overflow-y-auto ${className}`}>
        <div role="presentation" className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
          {rows.slice(first, end).map((row, at) => {
            const index = first + at;
            const key = keyOf(row);
            return (
              // oxlint-disable-next-line jsx-a11y/interactive-supports-focus jsx-a11y/no-noninteractive-element-to-interactive-role
              <div
                role="row"
                key={key}
                data-index={index}
                aria-rowindex={index + 1}
                // Roving focus: arrow keys move it between rows.
                tabIndex={0}
                onClick={() => onOpen(row)}
                onKeyDown={(event) => {
                  if (event.key === 'Enter' || event.key === ' ') {
                    event.preventDefault();
                    onOpen(row);
                  } else moveFocus(event, index);
                }}
                className={`absolute inset-x-0 grid contain-strict cursor-pointer items-center gap-2 rounded-small px-1 hover:bg-hover -outline-offset-2 ${tracks.className} ${opened === key ? 'bg-hover' : ''} ${isNew?.(row) ? 'animate-arrive' : ''}`}
                style={{ ...tracks.style, height: rowPx, top: index * rowPx }}
              >
                {columns.map((column) => (
                  <div role="cell" key={column.name} className={cellClass(column)}>
                    {column.cell(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function ariaSort<T>({ sort: by }: Column<T>, sort: RowSort | undefined): 'ascending' | 'descending' | undefined {
  if (by === undefined || sort?.by !== by) return undefined;
  return sort.descends ? 'descending' : 'ascending';
}

/** Where it can be sorted by, a button. */
function ColumnTitle<T>({
  column: { title, sort: by, align },
  sort,
}: {
  readonly column: Column<T>;
  readonly sort: RowSort | undefined;
}): ReactNode {
  if (sort === undefined || by === undefined) return title;
  const Arrow = sort.descends ? ArrowDown : ArrowUp;
  return (
    <button
      type="button"
      onClick={() => sort.onSort(by)}
      className={`inline-flex max-w-full items-center gap-0.25 rounded-small -outline-offset-2 hover:text-ink ${align === 'right' ? 'flex-row-reverse text-right' : 'text-left'} ${sort.by === by ? 'font-strong text-ink' : ''}`}
    >
      <span>{title}</span>
      {sort.by === by ? <Arrow size={12} aria-hidden className="shrink-0" /> : null}
    </button>
  );
}

// The breakpoints of the style sheet.
const tablet = matchMedia('(min-width: 768px)');
const desktop = matchMedia('(min-width: 1120px)');

function onDeviceChange(listener: () => void): () => void {
  for (const query of [tablet, desktop]) query.addEventListener('change', listener);
  return () => {
    for (const query of [tablet, desktop]) query.removeEventListener('change', listener);
  };
}

function useDevice(): keyof RowHeights {
  return useSyncExternalStore(onDeviceChange, () =>
    desktop.matches ? 'desktop' : tablet.matches ? 'tablet' : 'phone',
  );
}

function gridOf<T>(columns: readonly Column<T>[]): { className: string; style: Record<string, string> } {
  return {
    className: 'grid-cols-(--narrow) lg:grid-cols-(--wide)',
    style: {
      '--wide': columns.map(({ width }) => width).join(' '),
      '--narrow': columns
        .filter(({ wide }) => !wide)
        .map(({ width }) => width)
        .join(' '),
    },
  };
}

function cellClass<T>({ align, wide }: Column<T>): string {
  return `min-w-0 truncate ${align === 'right' ? 'text-right' : ''} ${wide ? 'max-lg:hidden' : ''}`;
}

/** A name on up to two lines. The row's details show it in full. */
export function TwoLines({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  return (
    <span title={title} className="line-clamp-2 whitespace-normal wrap-anywhere">
      {children}
    </span>
  );
}

/** A column title with its unit. */
export function Unit({ of, unit }: { readonly of: string; readonly unit: string }): ReactNode {
  return (
    <>
      {of} <span className="block">{unit}</span>
    </>
  );
}
