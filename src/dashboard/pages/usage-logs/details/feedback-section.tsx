import { ThumbsDown, ThumbsUp, Trash2 } from 'lucide-react';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useMutation, useQuery } from '../../../data/graphql/hooks.ts';
import { textOf } from '../../../data/form.ts';
import type { Failure } from '../../../data/failure.ts';
import { Button, IconButton } from '../../../design/button.tsx';
import { Failed } from '../../../design/state.tsx';
import { Textarea } from '../../../design/textarea.tsx';
import { Time } from '../../../design/time.tsx';
import {
  DeleteFeedbackDocument,
  LogFeedbackDocument,
  SubmitFeedbackDocument,
  type GivenFeedbackFragment,
} from '../../../generated/graphql.ts';
import { usePermissions } from '../../../shell/permissions.ts';
import { useViewer } from '../../../shell/viewer.ts';
import { FeedbackValue } from '../feedback/feedback-value.tsx';

/** The name of what is said here; clients may use others. */
const NAME = 'feedback';

/** What clients and members say of a request, and what the viewer says. */
export function FeedbackSection({
  log: { id, requestId },
}: {
  readonly log: { readonly id: string; readonly requestId: string };
}): ReactNode {
  const { can } = usePermissions();
  const { data, failure, refetch } = useQuery(LogFeedbackDocument, { id });
  const [remove] = useMutation(DeleteFeedbackDocument);
  const [removeFailure, setRemoveFailure] = useState<Failure | null>(null);
  const given = data?.usageLog?.id === id ? data.usageLog.feedback : null;
  const canWrite = can('feedback.write');
  if (given?.length === 0 && !canWrite) return null;
  return (
    <section aria-label="Feedback" className="flex flex-col gap-1">
      <h3 className="text-large">Feedback</h3>
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      {removeFailure ? <Failed failure={removeFailure} /> : null}
      {given && given.length > 0 ? (
        <ul className="flex flex-col gap-1">
          {given.map((each) => (
            <Given
              key={each.id}
              feedback={each}
              onDelete={
                canWrite
                  ? async () => {
                      setRemoveFailure((await remove({ id: each.id })).failure);
                      refetch();
                    }
                  : null
              }
            />
          ))}
        </ul>
      ) : null}
      {given && canWrite ? (
        <GiveFeedback
          // The form begins with what is stored.
          key={JSON.stringify(ownOf(given))}
          requestId={requestId}
          own={ownOf(given)}
          onGiven={refetch}
        />
      ) : null}
    </section>
  );
}

function ownOf(given: readonly GivenFeedbackFragment[]): GivenFeedbackFragment | null {
  return given.find(({ isOwn, name, boolean }) => isOwn && name === NAME && boolean !== null) ?? null;
}

function Given({
  feedback,
  onDelete,
}: {
  readonly feedback: GivenFeedbackFragment;
  readonly onDelete: (() => void) | null;
}): ReactNode {
  const { name, comment, isOwn, updatedAt } = feedback;
  return (
    <li className="flex items-start gap-1">
      <span className="pt-0.25">
        <FeedbackValue value={feedback} />
      </span>
      <div className="min-w-0 flex-1">
        {comment ? <p className="whitespace-pre-wrap wrap-anywhere">{comment}</p> : null}
        <p className="text-small wrap-anywhere text-soft">
          {name === NAME ? '' : `${name}, `}
          {isOwn ? 'by you, ' : ''}
          <Time at={updatedAt} />
        </p>
      </div>
      {onDelete ? (
        <IconButton label="Delete feedback" onClick={onDelete}>
          <Trash2 size={16} aria-hidden />
        </IconButton>
      ) : null}
    </li>
  );
}

/** A thumb is stored at once, with the comment that is written. */
function GiveFeedback({
  requestId,
  own,
  onGiven,
}: {
  readonly requestId: string;
  readonly own: GivenFeedbackFragment | null;
  readonly onGiven: () => void;
}): ReactNode {
  const { currentAccount } = useViewer();
  const [submit, pending] = useMutation(SubmitFeedbackDocument);
  const [failure, setFailure] = useState<Failure | null>(null);
  const give = async (isGood: boolean, comment: string): Promise<void> => {
    const result = await submit({ input: { requestId, boolean: isGood, comment: comment || null } });
    setFailure(result.failure);
    if (result.failure === null) onGiven();
  };
  const chosen = own?.boolean ?? null;
  return (
    <form
      className="flex flex-col gap-1"
      onSubmit={(event: FormEvent<HTMLFormElement>) => {
        event.preventDefault();
        if (chosen !== null) void give(chosen, textOf(new FormData(event.currentTarget), 'comment'));
      }}
    >
      <div role="group" aria-label="Your feedback" className="flex gap-1">
        {[true, false].map((isGood) => {
          const Thumb = isGood ? ThumbsUp : ThumbsDown;
          return (
            <Button
              key={String(isGood)}
              aria-pressed={chosen === isGood}
              disabled={pending}
              icon={
                <Thumb size={16} aria-hidden className={chosen === isGood ? (isGood ? 'text-good' : 'text-bad') : ''} />
              }
              onClick={({ currentTarget: { form } }) =>
                void give(isGood, form ? textOf(new FormData(form), 'comment') : '')
              }
            >
              {isGood ? 'Good' : 'Bad'}
            </Button>
          );
        })}
      </div>
      {chosen === null || currentAccount.zeroRetention ? null : (
        <>
          <Textarea label="Comment" name="comment" rows={2} maxLength={4_096} defaultValue={own?.comment ?? ''} />
          <div>
            <Button type="submit" pending={pending}>
              Save comment
            </Button>
          </div>
        </>
      )}
      {failure ? <Failed failure={failure} /> : null}
    </form>
  );
}
