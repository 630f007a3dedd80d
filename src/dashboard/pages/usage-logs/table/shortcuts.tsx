import { Keyboard } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { IconButton } from '../../../design/button.tsx';
import { Popover } from '../../../design/popover.tsx';

const shortcuts = [
  ['↓ or j', 'Next request'],
  ['↑ or k', 'Previous request'],
  ['Page Up, Page Down', 'A screen up or down'],
  ['Home, End', 'First or last loaded request'],
  ['Enter', 'Open the details'],
  ['Esc', 'Close the details'],
  ['/', 'Search by model'],
  ['?', 'Show this help'],
] as const;

/** The keys of the log. Those of rows work where a row has the focus; they focus the first one where nothing has it. */
export function Shortcuts(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  useShortcuts(() => setOpen(true));
  return (
    <Popover
      label="Keyboard shortcuts"
      open={isOpen}
      onOpenChange={setOpen}
      trigger={
        <IconButton label="Keyboard shortcuts" className="max-md:hidden">
          <Keyboard size={16} aria-hidden />
        </IconButton>
      }
    >
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-2 gap-y-1">
        {shortcuts.map(([keys, does]) => (
          <div key={keys} className="contents">
            <dt>
              <kbd className="rounded-small border border-line px-0.5 font-mono text-small">{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Popover>
  );
}

const letters: ReadonlySet<string> = new Set(['j', 'k']);
const arrows: ReadonlySet<string> = new Set(['ArrowDown', 'ArrowUp']);

/** Arrow keys may mean something else to what has the focus. */
function startsRows(key: string, target: HTMLElement): boolean {
  if (arrows.has(key)) return target === document.body;
  return letters.has(key) && target.closest('[data-index]') === null;
}

function useShortcuts(onHelp: () => void): void {
  const help = useRef(onHelp);
  useEffect(() => {
    help.current = onHelp;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { key, target } = event;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!(target instanceof HTMLElement) || target.matches('input, textarea, select, [contenteditable]')) return;
      if (document.querySelector('[role="dialog"], [role="menu"]') !== null) return;
      if (key === '?') help.current();
      else if (key === '/') focusSearch();
      else if (startsRows(key, target)) focusFirstRow();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

function focusSearch(): void {
  const fields = document.querySelectorAll<HTMLInputElement>('[role="search"] input[type="search"]');
  [...fields].find((field) => field.checkVisibility())?.focus();
}

function focusFirstRow(): void {
  document.querySelector<HTMLElement>('[role="row"][data-index]')?.focus();
}
