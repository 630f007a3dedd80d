import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../../../design/button.tsx';
import { count } from '../../../design/format.ts';

const MAX_LISTED = 20;

/** What a form has of a logged request, and what not. */
export interface OpenedReplay {
  /** Of the usage log. */
  readonly id: string;
  /** Paths of what is not carried. */
  readonly lacking: readonly string[];
  readonly redactions: readonly { readonly name: string; readonly count: number }[];
}

/** Says that a form was filled from a logged request, and what of it is missing. */
export function ReplayNotice({
  replay: { id, lacking, redactions },
  onClose,
}: {
  readonly replay: OpenedReplay;
  readonly onClose: () => void;
}): ReactNode {
  return (
    <section aria-label="Logged request" className="flex items-start gap-1 rounded-medium bg-panel p-1.5">
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <p>
          Filled from a{' '}
          <Link to="/billing/usage" search={{ log: id }} className="text-accent underline underline-offset-2">
            logged request
          </Link>
          . Sending it is a new request, which is billed.
        </p>
        {redactions.length > 0 ? (
          <p className="wrap-anywhere text-warn">
            Texts remain redacted: {redactions.map(({ name, count: times }) => `${name} ${count(times)}`).join(', ')}.
          </p>
        ) : null}
        {lacking.length > 0 ? (
          <p className="wrap-anywhere text-soft">
            Not included: {lacking.slice(0, MAX_LISTED).join(', ')}
            {lacking.length > MAX_LISTED ? ` and ${count(lacking.length - MAX_LISTED)} more` : ''}.
          </p>
        ) : null}
      </div>
      <IconButton label="Close notice" onClick={onClose}>
        <X size={16} aria-hidden />
      </IconButton>
    </section>
  );
}
