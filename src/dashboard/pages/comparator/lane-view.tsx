import { Square, Trophy } from 'lucide-react';
import { memo, type ReactNode, type UIEvent } from 'react';
import { Badge, SandboxBadge } from '../../design/badge.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { count, duration, words } from '../../design/format.ts';
import { modelStyle } from '../../design/series-style.ts';
import { Skeleton } from '../../design/state.tsx';
import { Filled } from '../../design/texture.tsx';
import type { ComparisonKind } from '../../generated/graphql.ts';
import { costText, ResponseMetrics } from '../playground/response-metrics.tsx';
import type { Lane } from './lanes.ts';

export interface LaneActions {
  readonly cancel: (model: string) => void;
  readonly vote: (model: string) => void;
}

/** One model's response while it streams, with time and cost. Rendered again only when it changed. */
export const LaneView = memo(function LaneView({
  lane,
  kind,
  isWinner,
  isVoted,
  actions,
  autoScrolls,
  join,
  onScroll,
}: {
  readonly lane: Lane;
  readonly kind: ComparisonKind;
  readonly isWinner: boolean;
  readonly isVoted: boolean;
  /** Null on read-only pages. */
  readonly actions: LaneActions | null;
  /** Whether it stays scrolled to its end while it grows. */
  readonly autoScrolls: boolean;
  readonly join: (element: HTMLElement | null) => (() => void) | undefined;
  readonly onScroll: (event: UIEvent<HTMLElement>) => void;
}) {
  const isRunning = lane.status === 'RUNNING';
  const isText = kind === 'CHAT';
  return (
    <section
      aria-label={lane.model}
      className="flex min-w-0 flex-col gap-1 max-md:w-[84vw] max-md:shrink-0 max-md:snap-start"
    >
      <div className="h-0.5 overflow-hidden rounded-small">
        <Filled style={modelStyle(lane.model)} />
      </div>
      <header className="flex min-h-4 items-center gap-1">
        <h3 className="min-w-0 flex-1 font-mono wrap-anywhere">{lane.model}</h3>
        {isWinner ? <Badge tone="good">Best</Badge> : null}
        <Status lane={lane} />
        {isRunning && actions ? (
          <IconButton label={`Stop ${lane.model}`} onClick={() => actions.cancel(lane.model)}>
            <Square size={12} aria-hidden />
          </IconButton>
        ) : null}
      </header>
      <div className="flex min-h-2.5 flex-wrap items-center gap-x-1">
        {lane.servedModel == null || lane.servedModel === lane.model ? null : (
          <span className="font-mono text-small wrap-anywhere text-soft">{lane.servedModel}</span>
        )}
        <SandboxBadge model={lane.servedModel ?? lane.model} />
      </div>
      {isText ? (
        // Focusable, so that the keyboard can scroll it.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div
          ref={join}
          onScroll={onScroll}
          tabIndex={0}
          role="region"
          aria-label={`Response of ${lane.model}`}
          className={`flex h-45 overflow-y-auto rounded-medium bg-panel p-1.5 [contain:strict] ${autoScrolls ? 'flex-col-reverse' : 'flex-col'}`}
        >
          <div className="mb-auto">
            {lane.reasoning === '' ? null : (
              <details className="mb-1 text-soft">
                <summary>Reasoning</summary>
                <p className="whitespace-pre-wrap">{lane.reasoning}</p>
              </details>
            )}
            <div className="break-words whitespace-pre-wrap">
              <Text text={lane.output} />
              {isRunning ? (
                <span aria-hidden className="ml-0.25 inline-block h-2 w-1 animate-breathe bg-accent align-middle" />
              ) : null}
            </div>
            {lane.toolCalls.map(({ name, arguments: given }, index) => (
              // Tool calls have no id here.
              // oxlint-disable-next-line react/no-array-index-key
              <p key={index} className="mt-1 font-mono text-small break-all">
                {name}({given})
              </p>
            ))}
            {lane.hasGap ? <p className="text-warn">Part of the response is missing until it is complete.</p> : null}
          </div>
        </div>
      ) : (
        <MediaOutput lane={lane} kind={kind} />
      )}
      {lane.error ? (
        <p role="alert" className="rounded-medium bg-bad-wash p-1 text-bad">
          {lane.error.message}
        </p>
      ) : null}
      <ResponseMetrics
        metrics={[
          [isText ? 'First token' : 'First byte', lane.firstTokenMs == null ? null : duration(lane.firstTokenMs)],
          ['Speed', lane.tokensPerSecond == null ? null : `${count(lane.tokensPerSecond)} tokens/s`],
          ['Time', lane.durationMs == null ? null : duration(lane.durationMs)],
          ['Output', isText && !isRunning ? `${count(lane.usage.outputTokens)} tokens` : null],
          ['Cost', costText(lane.cost.amount)],
        ]}
      />
      {actions ? (
        <div className="flex items-center gap-1">
          {lane.status === 'FAILED' && !isVoted ? null : (
            <Button
              variant={isVoted ? 'primary' : 'plain'}
              aria-pressed={isVoted}
              icon={<Trophy size={16} aria-hidden />}
              disabled={isRunning}
              onClick={() => actions.vote(lane.model)}
            >
              {isVoted ? 'Your vote' : 'Best'}
            </Button>
          )}
          {lane.votes > 0 ? (
            <span className="figures text-small text-soft">
              {lane.votes} {lane.votes === 1 ? 'vote' : 'votes'}
            </span>
          ) : null}
        </div>
      ) : null}
    </section>
  );
});

function Status({ lane: { status } }: { readonly lane: Lane }): ReactNode {
  if (status === 'FINISHED') return null;
  const tone = { RUNNING: 'accent', FAILED: 'bad', CANCELLED: 'neutral', INTERRUPTED: 'warn' } as const;
  return <Badge tone={tone[status]}>{words(status)}</Badge>;
}

const BLOCK_CHARACTERS = 1_200;

/** Splits the text into blocks, so that new words do not cause a new layout of earlier text. */
function Text({ text }: { readonly text: string }): ReactNode {
  const blocks = Math.ceil(text.length / BLOCK_CHARACTERS);
  return Array.from({ length: blocks }, (_, index) => (
    <Block key={index} text={text.slice(index * BLOCK_CHARACTERS, (index + 1) * BLOCK_CHARACTERS)} />
  ));
}

const Block = memo(function Block({ text }: { readonly text: string }) {
  return <span>{text}</span>;
});

/** Images in a grid, an audio player, or the similarity of two texts. */
function MediaOutput({ lane, kind }: { readonly lane: Lane; readonly kind: ComparisonKind }): ReactNode {
  if (lane.status === 'RUNNING') return <Skeleton className={kind === 'IMAGE' ? 'aspect-square' : 'h-7'} />;
  if (kind === 'EMBEDDINGS')
    return (
      <p className="figures rounded-medium bg-panel p-2">
        <span className="text-huge">{lane.similarity == null ? '–' : lane.similarity.toFixed(3)}</span>
        <span className="block text-small text-soft">
          {lane.dimensions == null ? '' : `cosine similarity, ${count(lane.dimensions)} dimensions`}
        </span>
      </p>
    );
  if (kind === 'SPEECH')
    return lane.media.map(({ url }) => (
      // The prompt above is the text of the speech.
      // oxlint-disable-next-line jsx-a11y/media-has-caption
      <audio
        key={url}
        controls
        preload="metadata"
        src={url}
        aria-label={`Speech of ${lane.model}`}
        className="w-full"
      />
    ));
  return (
    <div className={`grid gap-0.5 ${lane.media.length > 1 ? 'grid-cols-2' : ''}`}>
      {lane.media.map(({ url }, index) => (
        <img
          key={url}
          src={url}
          alt={`Image ${index + 1} by ${lane.model}`}
          className="aspect-square w-full rounded-medium border border-line bg-panel object-cover"
        />
      ))}
    </div>
  );
}
