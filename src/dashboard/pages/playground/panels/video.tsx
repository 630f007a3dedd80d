import { Download } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useSubscription } from '../../../data/graphql/hooks.ts';
import type { Failure } from '../../../data/failure.ts';
import { useRest } from '../../../data/rest.ts';
import { isObject } from '../../../data/json.ts';
import { useObjectUrl } from '../../../data/object-url.ts';
import { buttonClass } from '../../../design/button.tsx';
import { words } from '../../../design/format.ts';
import { Failed, Skeleton } from '../../../design/state.tsx';
import { Textarea } from '../../../design/textarea.tsx';
import { PlaygroundVideoDocument, type PlaygroundVideoSubscription } from '../../../generated/graphql.ts';
import { failureOf } from '../call.ts';
import { persistentCall } from '../persistent-call.ts';
import { costText, ResponseMetrics } from '../response-metrics.tsx';
import type { PanelProps } from '../panel.ts';
import { requestOf } from '../request.ts';
import { paths } from '../samples.ts';
import { SendForm } from '../send-form.tsx';

interface GeneratedVideo {
  readonly id: string;
  /** Null until it is generated and downloaded. */
  readonly film: Blob | null;
}

const useVideo = persistentCall<GeneratedVideo>({ capability: 'video', read: readStoredVideo });

/** Generates a video, with its progress. */
export function Video({ draft, model, change, onSent }: PanelProps): ReactNode {
  const called = useVideo();
  const send = (): void => {
    if (model === null) return;
    onSent();
    const body = requestOf('video', model, draft);
    called.call({ path: paths.video, body }, draft.prompt, async ({ response }) => ({
      id: videoId(await response.json()),
      film: null,
    }));
  };
  return (
    <SendForm
      called={called}
      input={draft.prompt}
      canSend={model !== null && draft.prompt.trim() !== ''}
      label="Generate"
      onSend={send}
      empty="The video appears here. Generation takes several minutes. The progress is shown here."
      fields={
        <Textarea
          label="Prompt"
          required
          value={draft.prompt}
          onChange={({ target }) => change({ prompt: target.value })}
        />
      }
    >
      {(video) => <Progress key={video.id} made={video} onFetched={(film) => called.change({ ...video, film })} />}
    </SendForm>
  );
}

function Progress({
  made: { id, film },
  onFetched,
}: {
  readonly made: GeneratedVideo;
  readonly onFetched: (film: Blob) => void;
}): ReactNode {
  const [video, setVideo] = useState<PlaygroundVideoSubscription['videoProgress'] | null>(null);
  const failure = useSubscription(
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
      {film ? (
        <VideoPlayer id={id} film={film} />
      ) : video?.status === 'COMPLETED' ? (
        <VideoDownload id={id} onFetched={onFetched} />
      ) : video?.status === 'FAILED' ? null : (
        <label className="flex flex-col gap-1 rounded-medium bg-panel px-2 py-6">
          <span className="flex justify-between text-soft">
            <span role="status">{video ? words(video.status) : 'Queued'}</span>
            <span className="figures">{video?.progress ?? 0}%</span>
          </span>
          <progress max={100} value={video?.progress ?? 0} aria-label="Progress" className="h-1 w-full" />
        </label>
      )}
      <ResponseMetrics
        metrics={[
          ['Video', id],
          ['Size', video?.size ?? null],
          ['Length', video?.seconds == null ? null : `${video.seconds} s`],
          ['Cost', costText(video?.cost?.amount ?? null)],
        ]}
      />
    </div>
  );
}

function VideoDownload({
  id,
  onFetched,
}: {
  readonly id: string;
  readonly onFetched: (film: Blob) => void;
}): ReactNode {
  const rest = useRest();
  const [failure, setFailure] = useState<Failure | null>(null);
  const receiver = useRef(onFetched);
  useEffect(() => {
    receiver.current = onFetched;
  });
  useEffect(() => {
    const controller = new AbortController();
    rest({ path: `${paths.video}/${encodeURIComponent(id)}/content`, method: 'GET', signal: controller.signal })
      .then(({ response }) => response.blob())
      .then((blob) => (controller.signal.aborted ? undefined : receiver.current(blob)))
      .catch((error: unknown) => (controller.signal.aborted ? undefined : setFailure(failureOf(error))));
    return () => controller.abort();
  }, [id, rest]);
  return failure ? <Failed failure={failure} /> : <Skeleton className="aspect-video w-full" />;
}

function VideoPlayer({ id, film }: { readonly id: string; readonly film: Blob }): ReactNode {
  const url = useObjectUrl(film) ?? undefined;
  return (
    <div className="flex flex-col gap-1">
      {/* Generated videos have no speech. */}
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
      <video
        controls
        muted
        src={url}
        aria-label="Generated video"
        className="aspect-video w-full rounded-medium bg-panel"
      />
      <a href={url} download={`${id}.mp4`} className={`${buttonClass()} self-start`}>
        <Download size={16} aria-hidden /> Save
      </a>
    </div>
  );
}

function readStoredVideo(stored: unknown): GeneratedVideo | null {
  if (!isObject(stored) || typeof stored.id !== 'string') return null;
  return { id: stored.id, film: stored.film instanceof Blob ? stored.film : null };
}

function videoId(body: unknown): string {
  if (!isObject(body) || typeof body.id !== 'string') throw new TypeError('no video');
  return body.id;
}
