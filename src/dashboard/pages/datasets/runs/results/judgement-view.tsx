import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { money, words } from '../../../../design/format.ts';
import type { DatasetRunResultPartsFragment } from '../../../../generated/graphql.ts';

/** Why the judge gave its score, or why there is none. */
export function JudgementView({
  judgement: { status, score, reason, isReadable, errorCode, errorMessage, costUsd, usageLogId },
  isOpen,
}: {
  readonly judgement: NonNullable<DatasetRunResultPartsFragment['outputs'][number]['judgement']>;
  readonly isOpen: boolean;
}): ReactNode {
  const clamp = isOpen ? '' : 'line-clamp-3';
  return (
    <div className="flex flex-col gap-0.25 border-t border-line pt-0.75">
      <div className="figures flex flex-wrap gap-x-1 text-small text-soft">
        <span>Judge{status === 'COMPLETED' ? '' : `: ${words(status).toLowerCase()}`}</span>
        {costUsd == null ? null : <span>{money(costUsd)}</span>}
        {usageLogId == null ? null : (
          <Link to="/billing/usage" search={{ log: usageLogId }} className="text-accent underline underline-offset-2">
            Usage log<span className="sr-only"> of the judge</span>
          </Link>
        )}
      </div>
      {errorCode == null ? null : (
        <p className={`wrap-anywhere ${clamp}`}>
          <code className="text-bad">{errorCode}</code> {errorMessage}
        </p>
      )}
      {!isReadable ? (
        <p className="text-soft">Unreadable: the secret of the server has changed since this reason was stored.</p>
      ) : score == null ? null : (
        <p className={`whitespace-pre-wrap wrap-anywhere ${clamp}`}>{reason}</p>
      )}
    </div>
  );
}
