import type { ReactNode } from 'react';
import { codeBlockClass } from '../../../design/code.tsx';
import { CopyButton } from '../../../design/copy.tsx';
import { count } from '../../../design/format.ts';

/** A browser takes seconds to lay out more. */
const MAX_SHOWN = 100_000;

/** A body as its JSON. */
export function RawView({ label, body }: { readonly label: string; readonly body: unknown }): ReactNode {
  const text = typeof body === 'string' ? body : JSON.stringify(body, null, 2);
  return (
    <section aria-label={label} className="flex min-w-0 flex-col gap-0.5">
      <div className="flex items-center gap-1">
        <h4 className="flex-1 font-strong">{label}</h4>
        <CopyButton text={text} label={`Copy the ${label.toLowerCase()}`} />
      </div>
      {/* Focusable, so that a keyboard can scroll it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} role="region" aria-label={`${label} JSON`} className={`max-h-[60vh] ${codeBlockClass}`}>
        {text.slice(0, MAX_SHOWN)}
      </pre>
      {text.length > MAX_SHOWN ? (
        <p className="text-small text-soft">
          The first {count(MAX_SHOWN)} of {count(text.length)} characters. The copy has all.
        </p>
      ) : null}
    </section>
  );
}
