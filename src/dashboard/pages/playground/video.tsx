import { Download } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { useLive } from '../../data/hooks.ts';
import type { Failure } from '../../data/failure.ts';
import { useRest } from '../../data/rest.ts';
import { isObject } from '../../data/json.ts';
import { buttonClass } from '../../design/button.tsx';
import { words } from '../../design/format.ts';
import { Failed } from '../../design/state.tsx';
import { Textarea } from '../../design/textarea.tsx';
import { PlaygroundVideoDocument, type PlaygroundVideoSubscription } from '../../generated/graphql.ts';
import { costText, Measures } from './measures.tsx';
import type { PanelProps } from './panel.ts';
import { requestOf } from './request.ts';
import { paths } from './samples.ts';
import { SendForm } from './send-form.tsx';
import { failureOf, useCall } from './use-call.ts';

/** A video, from its beginning until it plays. */
export function Video({ draft, model, change, onSent }: PanelProps): ReactNode {
  const called = useCall<string>();
  const send = (): void => {
    if (model === null) return;
    onSent();
    called.call({ path: paths.video, body: requestOf('video', model, draft) }, async ({ response }) =>
      idIn(await response.json()),
    );
  };
  return (
    <SendForm
      called={called}
      canSend={model !== null && draft.prompt.trim() !== ''}
      label="Film"
      onSend={send}
      empty="The video stands here; making one takes minutes, and its progress shows."
      fields={
        <Textarea
          label="What it shows"
          required
          value={draft.prompt}
          onChange={({ target }) => change({ prompt: target.value })}
        />
      }
    >
      {(id) => <Progress key={id} id={id} />}
    </SendForm>
  );
}

function Progress({ id }: { readonly id: string }): ReactNode {
  const [video, setVideo] = useState<PlaygroundVideoSubscription['videoProgress'] | null>(null);
  const failure = useLive(
    PlaygroundVideoDocument,
    { id },
    ({ videoProgress }) => {
      setVideo(videoProgress);
      return null;
    },
    { pause: video?.status === 'COMPLETED' || video?.status === 'FAILED' },
  );
  return (
    <div className="flex flex-col gap-1.5">
      {failure ? <Failed failure={failure} /> : null}
      {video?.error ? <Failed failure={{ ...video.error, requestId: null }} /> : null}
      {video?.status === 'COMPLETED' ? (
        <Film id={id} />
      ) : (
        <label className="flex flex-col gap-1 rounded-medium bg-panel px-2 py-6">
          <span className="flex justify-between text-soft">
            <span role="status">{video ? words(video.status) : 'Begun'}</span>
            <span className="figures">{video?.progress ?? 0}%</span>
          </span>
          <progress max={100} value={video?.progress ?? 0} aria-label="Progress" className="h-1 w-full" />
        </label>
      )}
      <Measures
        measures={[
          ['Video', id],
          ['Size', video?.size ?? null],
          ['Length', video?.seconds == null ? null : `${video.seconds} s`],
          ['Cost', costText(video?.cost?.amount ?? null)],
        ]}
      />
    </div>
  );
}

function Film({ id }: { readonly id: string }): ReactNode {
  const rest = useRest();
  const [url, setUrl] = useState<string | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    let made: string | null = null;
    rest({ path: `${paths.video}/${encodeURIComponent(id)}/content`, method: 'GET', signal: controller.signal })
      .then(({ response }) => response.blob())
      .then((blob) => {
        if (controller.signal.aborted) return;
        made = URL.createObjectURL(blob);
        setUrl(made);
      })
      .catch((error: unknown) => (controller.signal.aborted ? undefined : setFailure(failureOf(error))));
    return () => {
      controller.abort();
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [id, rest]);
  if (failure) return <Failed failure={failure} />;
  return (
    <div className="flex flex-col gap-1">
      {/* Made without words. */}
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
      <video
        controls
        muted
        src={url ?? undefined}
        aria-label="The video"
        className="aspect-video w-full rounded-medium bg-panel"
      />
      {url ? (
        <a href={url} download={`${id}.mp4`} className={`${buttonClass()} self-start`}>
          <Download size={16} aria-hidden /> Save
        </a>
      ) : null}
    </div>
  );
}

function idIn(answer: unknown): string {
  if (!isObject(answer) || typeof answer.id !== 'string') throw new TypeError('no video');
  return answer.id;
}
