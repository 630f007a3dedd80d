import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { LoggedContentState } from '../../../generated/graphql.ts';

type Unreadable = Exclude<LoggedContentState, 'STORED'>;

const texts: Readonly<Record<Unreadable, readonly [title: string, reason: string]>> = {
  NOT_LOGGED: ['Not logged', 'Content logging was off for this request.'],
  PENDING: ['Pending', 'This content is being stored. It appears here in a few seconds.'],
  LOST: ['Lost', 'The server was killed before this content was stored. Usage and cost are complete.'],
  DROPPED: ['Dropped', 'The store of logged content was full or slow, so this content was not stored.'],
  DELETED: ['Deleted', 'A member of the account deleted this content.'],
  EXPIRED: ['Expired', 'The retention of this content has ended.'],
  UNREADABLE: ['Unreadable', 'The file with this content is missing, or the secret of the server has changed.'],
};

/** Why there is no content to read. */
export function ContentState({ state }: { readonly state: Unreadable }): ReactNode {
  const [title, reason] = texts[state];
  return (
    <div className="rounded-medium bg-panel px-1.5 py-1">
      <p className="font-strong">{title}</p>
      <p className="text-soft">
        {reason}{' '}
        {state === 'NOT_LOGGED' || state === 'EXPIRED' ? (
          <Link to="/settings" search={{ tab: 'content' }} className="text-accent underline underline-offset-2">
            Content logging settings
          </Link>
        ) : null}
      </p>
    </div>
  );
}
