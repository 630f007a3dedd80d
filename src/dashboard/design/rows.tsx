import {
  useCallback,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import type { Rows } from '../data/packed-rows.ts';

export interface Column<T> {
  readonly name: string;
  readonly title: ReactNode;
  /** A track of CSS grid: `120px`, `minmax(0, 2fr)`. */
  readonly width: string;
  readonly align?: 'right';
  /** Left out where the page is narrow: what stays tells the row. */
  readonly wide?: boolean;
  readonly cell: (row: T) => ReactNode;
}

/** Pixels: on phones, where names take two lines and the time stands below them; below and from the width that shows all columns. */
interface RowHeights {
  readonly phone: number;
  readonly tablet: number;
  readonly desktop: number;
}

const HEIGHTS: RowHeights = { phone: 64, tablet: 64, desktop: 44 };
/** So many rows above and below those in sight are in the page too, so that none is missing while it scrolls. */
const BEYOND = 12;
/** A jump shows those in sight at once; the others follow when it has rested for so long. */
const REST_MS = 100;
/** So many rows before the end of what is loaded, more is asked for. */
const AHEAD = 60;

/**
 * A table of any length: only the rows in sight are in the page. Arrow keys, Page Up and Down, Home and End walk through it,
 * Enter opens a row.
 */
export function VirtualRows<T>({
  label,
  rows,
  columns,
  keyOf,
  onOpen,
  onNearEnd,
  opened,
  heights = HEIGHTS,
  className = 'h-[60dvh] min-h-40',
}: {
  readonly label: string;
  readonly rows: Rows<T>;
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
  readonly onOpen: (row: T) => void;
  readonly onNearEnd?: () => void;
  readonly opened?: string | null;
  readonly heights?: RowHeights;
  readonly className?: string;
}): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const rowPx = heights[useDevice()];
  const { first, end, look } = useSight(scroller, rows.length, rowPx);
  useEffect(() => {
    if (end > rows.length - AHEAD) onNearEnd?.();
  }, [end, rows.length, onNearEnd]);
  const tracks = gridOf(columns);
  /** The row that the keyboard went to, until it is in the page. */
  const wanted = useRef<number | null>(null);
  const focusWanted = (): void => {
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`);
    if (!row) return;
    wanted.current = null;
    // By itself it would be put into the middle.
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: 'nearest' });
  };
  useEffect(focusWanted);

  const walk = (event: KeyboardEvent, from: number): void => {
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? rowPx) / rowPx) - 1);
    const to = {
      ArrowDown: from + 1,
      ArrowUp: from - 1,
      PageDown: from + page,
      PageUp: from - page,
      Home: 0,
      End: rows.length - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    wanted.current = Math.min(rows.length - 1, Math.max(0, to));
    look(wanted.current);
    focusWanted();
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
            <div role="columnheader" key={column.name} className={cellClass(column)}>
              {column.title}
            </div>
          ))}
        </div>
      </div>
      <div ref={scroller} role="rowgroup" className={`overflow-y-auto ${className}`}>
        <div role="presentation" className="relative w-full" style={{ height: rows.length * rowPx }}>
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
                // Focus is on one row, and the arrow keys move it.
                tabIndex={0}
                onClick={() => onOpen(row)}
                onKeyDown={(event) => {
                  if (event.key === 'Enter' || event.key === ' ') {
                    event.preventDefault();
                    onOpen(row);
                  } else walk(event, index);
                }}
                className={`absolute inset-x-0 grid contain-strict cursor-pointer items-center gap-2 rounded-small px-1 hover:bg-hover -outline-offset-2 ${tracks.className} ${opened === key ? 'bg-hover' : ''}`}
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

interface Sight {
  readonly first: number;
  readonly end: number;
  /**
   * Finds out anew. @param index a row that is to be in sight, before anything is scrolled: a scroller that has just grown
   * may keep to its former end until the next picture
   */
  readonly look: (index?: number) => void;
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

/** Which rows are in sight: from `first` up to, not including, `end`. All are as high, so that 100,000 cost what ten do. */
function useSight(scroller: RefObject<HTMLElement | null>, count: number, rowPx: number): Sight {
  const [sight, setSight] = useState({ first: 0, end: 2 * BEYOND });
  const look = useCallback(
    (index?: number): void => {
      const element = scroller.current;
      if (element === null) return;
      const { scrollTop, clientHeight } = element;
      const top =
        index === undefined
          ? scrollTop
          : Math.min(index * rowPx, Math.max((index + 1) * rowPx - clientHeight, scrollTop));
      const [first, end] = [Math.floor(top / rowPx), Math.ceil((top + clientHeight) / rowPx)];
      setSight((before) => {
        const isJump = first > before.end || end < before.first;
        const beyond = isJump ? 0 : BEYOND;
        const next = { first: first - beyond, end: end + beyond };
        return before.first === next.first && before.end === next.end ? before : next;
      });
    },
    [scroller, rowPx],
  );
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    let rest: ReturnType<typeof setTimeout>;
    const onChange = (): void => {
      look();
      clearTimeout(rest);
      rest = setTimeout(look, REST_MS);
    };
    onChange();
    element.addEventListener('scroll', onChange, { passive: true });
    const size = new ResizeObserver(onChange);
    size.observe(element);
    return () => {
      element.removeEventListener('scroll', onChange);
      size.disconnect();
      clearTimeout(rest);
    };
  }, [scroller, look]);
  const end = Math.min(count, sight.end);
  return { first: Math.max(0, Math.min(sight.first, end)), end, look };
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

/** A name on up to two lines. The row opens what shows it whole. */
export function TwoLines({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  return (
    <span title={title} className="line-clamp-2 whitespace-normal wrap-anywhere">
      {children}
    </span>
  );
}

/** A column's title over its unit. */
export function Unit({ of, unit }: { readonly of: string; readonly unit: string }): ReactNode {
  return (
    <>
      {of} <span className="block">{unit}</span>
    </>
  );
}
