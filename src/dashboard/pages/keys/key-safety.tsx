import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePermissions } from '../../shell/permissions.ts';

/** Warns against using the key in browsers, and names access tokens as the alternative. */
export function KeySafety({ apiKeyId }: { readonly apiKeyId: string }): ReactNode {
  const { can } = usePermissions();
  return (
    <aside aria-label="Keep this key secret" className="rounded-medium bg-warn-wash p-1.5">
      <p>
        <strong className="font-strong">Do not place this key in frontend applications or public repositories.</strong>{' '}
        Keep it on your server. For a browser or an app, let the server create an access token with{' '}
        <code className="font-mono">createAccessToken</code>. It has the limits and budget of this key and expires
        within an hour.
      </p>
      {can('tokens.create') ? (
        <Link
          to="/keys"
          search={{ key: apiKeyId, tab: 'tokens' }}
          target="_blank"
          className="text-accent underline underline-offset-2"
        >
          Create an access token (new tab)
        </Link>
      ) : null}
    </aside>
  );
}
