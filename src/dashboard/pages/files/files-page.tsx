import { useNavigate, useSearch } from '@tanstack/react-router';
import { FileText, RotateCw, Upload } from 'lucide-react';
import type { ReactNode } from 'react';
import { usePages } from '../../data/graphql/pages.ts';
import { Button, IconButton } from '../../design/button.tsx';
import { CodeSamples } from '../../design/code.tsx';
import { Select } from '../../design/field.tsx';
import { fileSize } from '../../design/format.ts';
import { ListTable, type ListColumn } from '../../design/list-table.tsx';
import { Meter } from '../../design/meter.tsx';
import { Page } from '../../design/page.tsx';
import { Empty, Failed, SkeletonRows } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { FilesDocument, type FilePartsFragment, type FilesQuery } from '../../generated/graphql.ts';
import { RequirePermission } from '../../shell/notices/not-allowed.tsx';
import { usePermissions } from '../../shell/permissions.ts';
import { FileDrawer } from './file-drawer.tsx';
import { purposeNames, purposes } from './purposes.ts';
import { filesSearch, type FilesSearch } from './search.ts';
import { UploadFile } from './upload-file.tsx';

const PAGE_SIZE = 50;

export function FilesPage(): ReactNode {
  return (
    <RequirePermission action="files.read" title="Files" icon={<FileText size={24} />}>
      <Files />
    </RequirePermission>
  );
}

function Files(): ReactNode {
  const search = useSearch({ from: '/shell/files' });
  const navigate = useNavigate({ from: '/files' });
  const { can } = usePermissions();
  const { first, nodes, hasMore, failure, fetchMore, refetch } = usePages(
    FilesDocument,
    { first: PAGE_SIZE, purpose: search.purpose },
    ({ files }) => files,
  );
  const go = (next: FilesSearch): void => void navigate({ search: () => ({ purpose: search.purpose, ...next }) });
  const upload = can('files.write') ? (
    <Button variant="primary" icon={<Upload size={16} aria-hidden />} onClick={() => go({ upload: true })}>
      Upload file
    </Button>
  ) : null;
  return (
    <Page
      title="Files"
      lead="The input and output of batches, and files that your clients keep here."
      actions={
        <>
          <IconButton label="Reload" onClick={refetch}>
            <RotateCw size={16} aria-hidden />
          </IconButton>
          {upload}
        </>
      }
    >
      <div className="flex flex-wrap items-end justify-between gap-2">
        <PurposeFilter purpose={search.purpose} onChange={(purpose) => go({ purpose })} />
        {first ? <Storage storage={first.fileStorage} /> : null}
      </div>
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      {nodes === null && !failure ? <SkeletonRows rows={6} /> : null}
      {nodes?.length === 0 ? <NoFiles isFiltered={search.purpose !== undefined} /> : null}
      {nodes && nodes.length > 0 ? (
        <ListTable
          label="Files"
          rows={nodes}
          columns={columns}
          keyOf={({ id }) => id}
          nameOf={({ filename }) => filename}
          under={({ fileId }) => <span className="font-mono">{fileId}</span>}
          onOpen={({ fileId }) => go({ file: fileId })}
        />
      ) : null}
      {hasMore ? (
        <div>
          <Button onClick={fetchMore}>Load more</Button>
        </div>
      ) : null}
      <UploadFile open={can('files.write') && search.upload === true} onClose={() => go({})} onUploaded={refetch} />
      <FileDrawer
        id={search.file ?? null}
        known={nodes?.find(({ fileId }) => fileId === search.file) ?? null}
        onClose={() => go({})}
        onDeleted={() => {
          go({});
          refetch();
        }}
      />
    </Page>
  );
}

function PurposeFilter({
  purpose,
  onChange,
}: Pick<FilesSearch, 'purpose'> & { readonly onChange: (purpose: FilesSearch['purpose']) => void }): ReactNode {
  return (
    <div className="w-24">
      <Select
        label="Purpose"
        value={purpose ?? ''}
        onChange={({ target }) => onChange(filesSearch({ purpose: target.value }).purpose)}
      >
        <option value="">All purposes</option>
        {purposes.map((each) => (
          <option key={each} value={each}>
            {purposeNames[each]}
          </option>
        ))}
      </Select>
    </div>
  );
}

/** How much of the account's quota is used. */
function Storage({ storage: { usedBytes, maxBytes } }: { readonly storage: FilesQuery['fileStorage'] }): ReactNode {
  const text = `${fileSize(usedBytes)} of ${fileSize(maxBytes)} used`;
  return (
    <div className="figures flex w-28 flex-col gap-0.5">
      <span className="text-soft">{text}</span>
      <Meter label="Storage" used={usedBytes} max={maxBytes} text={text} />
    </div>
  );
}

function NoFiles({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  if (isFiltered)
    return (
      <Empty icon={<FileText size={24} />} title="No files of this purpose">
        Choose another purpose.
      </Empty>
    );
  return (
    <>
      <Empty icon={<FileText size={24} />} title="No files yet">
        Upload one here, or with an API key. Batches name their input by its ID.
      </Empty>
      <CodeSamples
        samples={[
          {
            language: 'curl',
            code: `curl ${location.origin}/v1/files -H "Authorization: Bearer $SLUICE_API_KEY" \\
  -F purpose=user_data -F file=@document.pdf`,
          },
        ]}
      />
    </>
  );
}

const columns: readonly ListColumn<FilePartsFragment>[] = [
  { name: 'purpose', title: 'Purpose', from: 'md', cell: ({ purpose }) => purposeNames[purpose] },
  { name: 'created', title: 'Created', from: 'md', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: 'expires',
    title: 'Expires',
    from: 'lg',
    cell: ({ expiresAt }) =>
      expiresAt == null ? <span className="text-soft">Never</span> : <Time at={expiresAt} as="date" />,
  },
  {
    name: 'size',
    title: 'Size',
    align: 'right',
    cell: ({ bytes }) => <span className="figures whitespace-nowrap">{fileSize(bytes)}</span>,
  },
];
