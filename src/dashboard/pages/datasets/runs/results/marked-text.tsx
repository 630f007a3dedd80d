import type { ReactNode } from 'react';
import { DiffText } from '../../../../design/diff-text.tsx';

/** More than the lines of an output that is not open. */
const MAX_SHOWN = 800;
const CLOSED_TIMEOUT_MS = 10;
/** Of the outputs of an open item together. */
const OPEN_TIMEOUT_MS = 400;

/** An output with what differs from the expected one. The rest of an output that is not open is not compared. */
export function MarkedText({
  text,
  expected,
  isOpen,
  outputs,
}: {
  readonly text: string;
  readonly expected: string;
  readonly isOpen: boolean;
  /** Number of outputs of the item. */
  readonly outputs: number;
}): ReactNode {
  return isOpen ? (
    <DiffText before={expected} after={text} timeoutMs={OPEN_TIMEOUT_MS / outputs} />
  ) : (
    <DiffText before={expected.slice(0, MAX_SHOWN)} after={text.slice(0, MAX_SHOWN)} timeoutMs={CLOSED_TIMEOUT_MS} />
  );
}
