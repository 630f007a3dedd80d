import { useNavigate, useSearch } from '@tanstack/react-router';
import { KeyRound, Plus } from 'lucide-react';
import { useDeferredValue, useMemo, type ReactNode } from 'react';
import { monthOf } from '../../data/range.ts';
import { usePages } from '../../data/graphql/pages.ts';
import { Button } from '../../design/button.tsx';
import { Checkbox, Input } from '../../design/field.tsx';
import { Page } from '../../design/page.tsx';
import { Empty, Failed, SkeletonRows } from '../../design/state.tsx';
import { KeysDocument } from '../../generated/graphql.ts';
import { RequirePermission } from '../../shell/notices/not-allowed.tsx';
import { usePermissions } from '../../shell/permissions.ts';
import { useViewer } from '../../shell/viewer.ts';
import { CreateKey } from './create-key.tsx';
import { KeyDrawer } from './key-drawer.tsx';
import { sorted } from './key-sort.ts';
import { KeyTable } from './key-table.tsx';

const PAGE_SIZE = 100;
/** Before the first request of any account. */
const BEGINNING = '2020-01-01T00:00:00.000Z';

export function KeysPage(): ReactNode {
  return (
    <RequirePermission action="keys.read" title="API Keys" icon={<KeyRound size={24} />}>
      <Keys />
    </RequirePermission>
  );
}

function Keys(): ReactNode {
  const { can } = usePermissions();
  const canWrite = can('keys.write');
  const search = useSearch({ from: '/shell/keys' });
  const navigate = useNavigate({ from: '/keys' });
  const { currentAccount } = useViewer();
  const month = useMemo(() => monthOf(currentAccount.timeZone), [currentAccount.timeZone]);
  const nameContains = useDeferredValue(search.search);
  const filter = { nameContains, includeRevoked: search.revoked ?? false };
  const { first, nodes, hasMore, failure, fetchMore, refetch } = usePages(
    KeysDocument,
    { filter, first: PAGE_SIZE, month, all: { ...month, from: BEGINNING }, withUsage: can('usage.read') },
    ({ apiKeys }) => apiKeys,
  );
  const keys = useMemo(() => sorted(nodes ?? [], search.sort), [nodes, search.sort]);
  const total = first?.apiKeys.totalCount;
  const isFiltered = Boolean(search.search);
  const create = canWrite ? (
    <Button
      variant="primary"
      icon={<Plus size={16} aria-hidden />}
      onClick={() => void navigate({ search: (before) => ({ ...before, create: true }) })}
    >
      Create Key
    </Button>
  ) : null;
  return (
    <Page
      title="API Keys"
      lead="Each key has its own limits, budget and models. Programs send it as a bearer token."
      actions={create}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <div className="w-full max-w-40">
          <Input
            label="Find by name"
            hidesLabel
            type="search"
            placeholder="Find by name"
            defaultValue={search.search ?? ''}
            onChange={({ target }) =>
              void navigate({ search: (before) => ({ ...before, search: target.value || undefined }), replace: true })
            }
          />
        </div>
        <Checkbox
          label="Show revoked keys"
          checked={search.revoked ?? false}
          onChange={({ target }) =>
            void navigate({
              search: (before) => ({ ...before, revoked: target.checked ? true : undefined }),
              replace: true,
            })
          }
        />
        {total === undefined ? null : (
          <span className="figures text-soft">
            {total} {total === 1 ? 'key' : 'keys'}
          </span>
        )}
      </div>
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      {nodes === null && !failure ? <SkeletonRows /> : null}
      {nodes?.length === 0 ? (
        <Empty
          icon={<KeyRound size={24} />}
          title={isFiltered ? 'No matching API keys' : 'No API keys yet'}
          action={isFiltered ? null : create}
        >
          {isFiltered
            ? 'Revoked keys are hidden. Select “Show revoked keys” to include them.'
            : 'A program calls models through this server with an API key. Create one for each program, so that you can limit and revoke each separately.'}
        </Empty>
      ) : null}
      {keys.length > 0 ? (
        <KeyTable
          keys={keys}
          sort={search.sort}
          onSort={(sort) => void navigate({ search: (before) => ({ ...before, sort }), replace: true })}
          onOpen={(key) => void navigate({ search: (before) => ({ ...before, key: key.id }) })}
        />
      ) : null}
      {hasMore ? (
        <div>
          {search.sort ? <p className="pb-1 text-soft">Only the keys above are sorted.</p> : null}
          <Button onClick={fetchMore}>Show more</Button>
        </div>
      ) : null}
      <CreateKey
        open={canWrite && search.create === true}
        onClose={() => void navigate({ search: (before) => ({ ...before, create: undefined }) })}
        onCreated={refetch}
      />
      <KeyDrawer
        id={search.key ?? null}
        tab={search.tab}
        listed={keys.find(({ id }) => id === search.key) ?? null}
        onClose={() => void navigate({ search: (before) => ({ ...before, key: undefined, tab: undefined }) })}
      />
    </Page>
  );
}
