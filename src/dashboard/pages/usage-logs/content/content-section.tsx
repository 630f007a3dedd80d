import { useMemo, useState, type ReactNode } from 'react';
import type { Failure } from '../../../data/failure.ts';
import { useMutation, useQuery } from '../../../data/graphql/hooks.ts';
import { useRefetchWhile } from '../../../data/graphql/refetch-while.ts';
import { Badge } from '../../../design/badge.tsx';
import { ConfirmButton } from '../../../design/confirm-button.tsx';
import { Failed, SkeletonRows } from '../../../design/state.tsx';
import { Tabs } from '../../../design/tabs.tsx';
import { DeleteLogContentDocument, LogContentDocument, type LogContentQuery } from '../../../generated/graphql.ts';
import { usePermissions } from '../../../shell/permissions.ts';
import { AddOne } from '../dataset/add-one.tsx';
import { ContentState } from './content-state.tsx';
import { RawView } from './raw-view.tsx';
import { ReplayLinks } from './replay-links.tsx';
import { readRequest, readResponse } from './turns.ts';
import { BodyView } from './turn-list.tsx';

type Content = NonNullable<LogContentQuery['usageLog']>['content'];

/** What was logged of the bodies of a request, where the viewer may read it. */
export function ContentSection({
  id,
  replayModel,
}: {
  readonly id: string;
  /** The requested model; null where the request is none of text generation. */
  readonly replayModel: string | null;
}): ReactNode {
  const { can } = usePermissions();
  if (!can('logged_content.read')) return null;
  return (
    <section aria-label="Content" className="flex min-w-0 flex-col gap-1">
      <h3 className="text-large">Content</h3>
      <LoadedContent key={id} id={id} replayModel={replayModel} />
    </section>
  );
}

function LoadedContent({ id, replayModel }: { readonly id: string; readonly replayModel: string | null }): ReactNode {
  const query = useQuery(LogContentDocument, { id }, { policy: 'network-only' });
  const { data, failure, refetch } = query;
  const content = data?.usageLog?.id === id ? data.usageLog.content : null;
  useRefetchWhile(content?.state === 'PENDING', query);
  return (
    <>
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      {content === null ? (
        failure ? null : (
          <SkeletonRows rows={4} />
        )
      ) : content.state === 'STORED' ? (
        <StoredContent id={id} replayModel={replayModel} content={content} onDeleted={refetch} />
      ) : (
        <ContentState state={content.state} />
      )}
    </>
  );
}

function StoredContent({
  id,
  replayModel,
  content,
  onDeleted,
}: {
  readonly id: string;
  readonly replayModel: string | null;
  readonly content: Content;
  readonly onDeleted: () => void;
}): ReactNode {
  const { can } = usePermissions();
  const [view, setView] = useState<'messages' | 'raw'>('messages');
  const { level, error, isComplete, redactions } = content;
  return (
    <>
      {level === 'METADATA' ? (
        <p className="text-soft">Only metadata was logged: the shape of request and response, without text.</p>
      ) : null}
      {error ? (
        <p className="wrap-anywhere">
          <code>{error.code}</code>
          {error.message == null ? '' : `: ${error.message}`}
        </p>
      ) : null}
      {replayModel !== null && level === 'FULL' ? (
        <div className="flex flex-wrap gap-1">
          <ReplayLinks id={id} model={replayModel} />
          <AddOne id={id} />
        </div>
      ) : null}
      <Marks isComplete={isComplete || error !== null} redactions={redactions} />
      <Tabs
        label="View of the content"
        chosen={view}
        onChoose={setView}
        tabs={[
          { name: 'messages', label: 'Messages', content: <Messages content={content} /> },
          { name: 'raw', label: 'Raw', content: <Raw content={content} /> },
        ]}
      />
      {can('logged_content.delete') ? <DeleteContent id={id} onDeleted={onDeleted} /> : null}
    </>
  );
}

function Marks({ isComplete, redactions }: Pick<Content, 'isComplete' | 'redactions'>): ReactNode {
  if (isComplete && redactions.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-1">
      {isComplete ? null : <Badge tone="warn">Incomplete response</Badge>}
      {redactions.length === 0 ? null : (
        <span className="text-small wrap-anywhere text-soft">
          Replaced: {redactions.map(({ name, count }) => `${name} ${count}`).join(', ')}
        </span>
      )}
    </div>
  );
}

function Messages({ content: { request, response } }: { readonly content: Content }): ReactNode {
  const sent = useMemo(() => readRequest(request), [request]);
  const received = useMemo(() => readResponse(response), [response]);
  return (
    <div className="flex min-w-0 flex-col gap-3 pt-1.5">
      <BodyView label="Request" body={sent} />
      {response === null ? <NoResponse /> : <BodyView label="Response" body={received} />}
    </div>
  );
}

function Raw({ content: { request, response } }: { readonly content: Content }): ReactNode {
  return (
    <div className="flex min-w-0 flex-col gap-2 pt-1.5">
      <RawView label="Request" body={request} />
      {response === null ? <NoResponse /> : <RawView label="Response" body={response} />}
    </div>
  );
}

function NoResponse(): ReactNode {
  return <p className="text-soft">No response body was sent.</p>;
}

function DeleteContent({ id, onDeleted }: { readonly id: string; readonly onDeleted: () => void }): ReactNode {
  const [remove, pending] = useMutation(DeleteLogContentDocument);
  const [failure, setFailure] = useState<Failure | null>(null);
  return (
    <div className="flex flex-col items-start gap-1 pt-1">
      <ConfirmButton
        label="Delete content"
        title="Delete the content of this request?"
        description="Request and response become unreadable at once and cannot be restored. The usage log remains."
        confirm="Delete content"
        pending={pending}
        onConfirm={async () => {
          const result = await remove({ id });
          setFailure(result.failure);
          if (result.failure === null) onDeleted();
        }}
      />
      {failure ? <Failed failure={failure} /> : null}
    </div>
  );
}
