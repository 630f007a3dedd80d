import { useState, type ReactNode } from 'react';

/** More are rendered on request. */
const FEW = 100;
const MAX_TEXT = 2_000;

/** JSON as a tree whose objects and lists can be opened. Only what is open is rendered. */
export function JsonTree({
  label,
  value,
  open = false,
}: {
  readonly label: string;
  readonly value: unknown;
  readonly open?: boolean;
}): ReactNode {
  return (
    <div className="min-w-0 font-mono text-small leading-[20px]">
      <Node name={label} value={value} open={open} />
    </div>
  );
}

function Node({
  name,
  value,
  open = false,
}: {
  readonly name: string;
  readonly value: unknown;
  readonly open?: boolean;
}): ReactNode {
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0)
    return <Branch name={name} value={value} open={open} />;
  return (
    <p className="wrap-anywhere whitespace-pre-wrap">
      <span className="text-soft">{name}: </span>
      <Leaf value={value} />
    </p>
  );
}

function Branch({
  name,
  value,
  open,
}: {
  readonly name: string;
  readonly value: object;
  readonly open: boolean;
}): ReactNode {
  const [isOpen, setOpen] = useState(open);
  const [shown, setShown] = useState(FEW);
  const entries = Object.entries(value);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="rounded-small wrap-anywhere">
        {name} <span className="text-soft">{sizeText(value, entries.length)}</span>
      </summary>
      {isOpen ? (
        <div className="flex flex-col border-l border-line pl-1.5">
          {entries.slice(0, shown).map(([member, each]) => (
            <Node key={member} name={member} value={each} />
          ))}
          {entries.length > shown ? (
            <button
              type="button"
              className="w-fit text-accent underline underline-offset-2"
              onClick={() => setShown(shown + FEW)}
            >
              Show more ({entries.length - shown})
            </button>
          ) : null}
        </div>
      ) : null}
    </details>
  );
}

function Leaf({ value }: { readonly value: unknown }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  if (typeof value !== 'string') return JSON.stringify(value);
  if (isWhole || value.length <= MAX_TEXT) return value;
  return (
    <>
      {value.slice(0, MAX_TEXT)}…{' '}
      <button type="button" className="text-accent underline underline-offset-2" onClick={() => setWhole(true)}>
        Show all
      </button>
    </>
  );
}

function sizeText(value: object, size: number): string {
  if (Array.isArray(value)) return size === 1 ? '[1 value]' : `[${size} values]`;
  return size === 1 ? '{1 member}' : `{${size} members}`;
}
