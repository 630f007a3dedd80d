import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Input } from '../../design/field.tsx';

const DEBOUNCE_MS = 300;

/** Applies the filter after a pause in typing. */
export function TextFilter({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string | undefined) => void;
}): ReactNode {
  const [typed, setTyped] = useState(value);
  const [seen, setSeen] = useState(value);
  if (seen !== value) {
    setSeen(value);
    setTyped(value);
  }
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
    },
    [],
  );
  return (
    <Input
      label={label}
      hidesLabel
      type="search"
      placeholder={label}
      value={typed}
      onChange={({ target }) => {
        const next = target.value;
        setTyped(next);
        if (timer.current !== null) clearTimeout(timer.current);
        timer.current = setTimeout(() => onChange(next.trim() || undefined), DEBOUNCE_MS);
      }}
    />
  );
}
