import { TwoLines, type Column } from '../../design/rows.tsx';
import { Time } from '../../design/time.tsx';
import type { AuditRowFragment } from '../../generated/graphql.ts';
import { actionText } from './actions.ts';

export const auditColumns: readonly Column<AuditRowFragment>[] = [
  { name: 'at', title: 'Time', width: '132px', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: 'action',
    title: 'Action',
    width: 'minmax(0, 3fr)',
    cell: ({ action, createdAt }) => (
      <>
        <TwoLines title={action}>{actionText(action)}</TwoLines>
        <span className="block text-small text-soft lg:hidden">
          <Time at={createdAt} />
        </span>
      </>
    ),
  },
  {
    name: 'target',
    title: 'Target',
    width: 'minmax(0, 4fr)',
    wide: true,
    cell: ({ target }) => <TwoLines title={target.label ?? ''}>{target.label ?? '–'}</TwoLines>,
  },
  {
    name: 'actor',
    title: 'Actor',
    width: 'minmax(0, 2fr)',
    cell: ({ actor }) => (
      <TwoLines title={actor.label}>{actor.user?.name ?? (actor.kind === 'SERVER' ? 'Server' : actor.label)}</TwoLines>
    ),
  },
  {
    name: 'address',
    title: 'IP address',
    width: '144px',
    wide: true,
    cell: ({ address }) => (
      <span className="block font-mono text-small whitespace-normal wrap-anywhere text-soft">{address ?? '–'}</span>
    ),
  },
];
