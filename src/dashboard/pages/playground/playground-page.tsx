import { useNavigate, useSearch } from '@tanstack/react-router';
import { Code2, History as HistoryIcon, Share2, SlidersHorizontal, Terminal } from 'lucide-react';
import { useEffect, useRef, useState, type ComponentType, type ReactNode } from 'react';
import { useQuery } from '../../data/graphql/hooks.ts';
import { usePriceUnit } from '../../data/price-unit.ts';
import { BetaBadge, SandboxBadge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { CodeSamples } from '../../design/code.tsx';
import { copy } from '../../design/copy.tsx';
import { words } from '../../design/format.ts';
import { ModelPicker } from '../../design/model-picker.tsx';
import { Dialog, Drawer } from '../../design/overlay.tsx';
import { Page } from '../../design/page.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { useToast } from '../../design/toast.tsx';
import { ModelListDocument, type ModelRowFragment } from '../../generated/graphql.ts';
import { RequirePermission } from '../../shell/notices/not-allowed.tsx';
import { inputPrice, outputPrice } from '../models/prices.ts';
import { capabilities, capabilityTitles, type Capability } from './capabilities.ts';
import { Chat } from './chat/chat.tsx';
import { useCompletion, useAttachedImages, useRun, useTurns } from './chat/conversation-state.ts';
import { decodeDraft, newDraft, encodeDraft, type Draft, type TargetedDraft } from './draft.ts';
import { Embeddings } from './panels/embeddings.tsx';
import { useHistory } from './history.ts';
import { HistoryList } from './history-list.tsx';
import { Images } from './panels/images.tsx';
import { Moderation } from './panels/moderation.tsx';
import type { PanelProps } from './panel.ts';
import { useDrafts, useLastSelection, useOpenedReplay } from './playground-state.ts';
import { FillPlayground } from './replay/fill-playground.tsx';
import { LoadedReplay } from './replay/loaded-replay.tsx';
import { ReplayNotice, type OpenedReplay } from './replay/replay-notice.tsx';
import { requestOf } from './request.ts';
import { samplesOf } from './samples.ts';
import { Settings } from './settings.tsx';
import { Speech } from './panels/speech.tsx';
import { Transcription } from './panels/transcription.tsx';
import { Video } from './panels/video.tsx';

const panels: Readonly<Record<Capability, ComponentType<PanelProps>>> = {
  chat: Chat,
  images: Images,
  speech: Speech,
  transcription: Transcription,
  embeddings: Embeddings,
  moderation: Moderation,
  video: Video,
};

type Overlay = 'code' | 'history' | 'settings' | null;

/** Runs every capability interactively. */
export function PlaygroundPage(): ReactNode {
  return (
    <RequirePermission action="completions.run" title="Playground" icon={<Terminal size={24} />}>
      <FilledPlayground />
    </RequirePermission>
  );
}

/** The playground; first, a logged request is loaded where the URL names one. */
function FilledPlayground(): ReactNode {
  const { replay: replayId } = useSearch({ from: '/shell/playground' });
  const navigate = useNavigate({ from: '/playground' });
  const [opened, setOpened] = useOpenedReplay();
  if (replayId === undefined || replayId === opened?.id)
    return <Playground replay={replayId === undefined ? null : opened} />;
  return (
    <Page title="Playground">
      <LoadedReplay key={replayId} id={replayId}>
        {(replay) => (
          <FillPlayground
            replay={replay}
            onFilled={(filled) => {
              setOpened(filled);
              void navigate({ search: { capability: 'chat', model: replay.model, replay: replayId }, replace: true });
            }}
          />
        )}
      </LoadedReplay>
    </Page>
  );
}

function Playground({ replay }: { readonly replay: OpenedReplay | null }): ReactNode {
  const search = useSearch({ from: '/shell/playground' });
  const navigate = useNavigate({ from: '/playground' });
  const [shared] = useState(() => decodeDraft(location.hash.slice(1)));
  const [drafts, setDrafts] = useDrafts((stored) => (shared ? { ...stored, [shared.capability]: shared } : stored));
  const [lastSelection, setLastSelection] = useLastSelection((stored) =>
    shared
      ? { capability: shared.capability, models: { ...stored.models, [shared.capability]: shared.model } }
      : stored,
  );
  const capability = search.capability ?? lastSelection.capability ?? 'chat';
  const [overlay, setOverlay] = useState<Overlay>(null);
  const history = useHistory();
  const toast = useToast();
  const draftOf = (each: Capability): Draft => drafts[each] ?? newDraft(each);
  const requestedModelOf = (each: Capability): string | null =>
    (each === capability ? search.model : undefined) ?? lastSelection.models[each] ?? null;
  const { id } = useModel(capability, requestedModelOf(capability));
  const change = (each: Capability, next: Partial<Draft>): void =>
    setDrafts((before) => ({ ...before, [each]: { ...(before[each] ?? newDraft(each)), ...next } }));
  const navigateTo = (to: Capability, modelId?: string): void =>
    void navigate({ search: { capability: to, model: modelId, replay: search.replay }, hash: '', replace: true });
  useEffect(() => {
    // The page has read the shared draft or the last capability. The URL then contains only capability and model.
    if (shared || (search.capability === undefined && lastSelection.capability !== null))
      navigateTo(capability, requestedModelOf(capability) ?? undefined);
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  useEffect(
    () =>
      setLastSelection(({ models }) => ({
        capability,
        models: search.model === undefined ? models : { ...models, [capability]: search.model },
      })),
    [capability, search.model, setLastSelection],
  );

  const draft = draftOf(capability);
  const share = async (): Promise<void> => {
    const url = new URL(location.pathname, location.origin);
    url.hash = encodeDraft({ ...draft, capability, model: id ?? '' });
    window.history.replaceState(window.history.state, '', url);
    const where = (await copy(url.href)) ? 'It was copied and is in the address bar.' : 'Copy it from the address bar.';
    toast.done(`The link contains prompt, model and parameters, but not the response. ${where}`);
  };
  return (
    <Page
      title="Playground"
      actions={
        <>
          <Button variant="quiet" icon={<HistoryIcon size={16} aria-hidden />} onClick={() => setOverlay('history')}>
            History
          </Button>
          <Button variant="quiet" icon={<Share2 size={16} aria-hidden />} onClick={() => void share()}>
            Share
          </Button>
          <Button icon={<Code2 size={16} aria-hidden />} onClick={() => setOverlay('code')}>
            View code
          </Button>
        </>
      }
    >
      {replay && capability === 'chat' ? (
        <ReplayNotice
          replay={replay}
          onClose={() => void navigate({ search: (before) => ({ ...before, replay: undefined }), replace: true })}
        />
      ) : null}
      <Tabs
        label="Capability"
        chosen={capability}
        onChoose={(to) => navigateTo(to, lastSelection.models[to])}
        keepsVisited
        tabs={capabilities.map((each) => ({
          name: each,
          label: (
            <span className="flex items-center gap-0.5">
              {capabilityTitles[each]}
              <BetaBadge capabilities={[each]} />
            </span>
          ),
          content: (
            <CapabilityPanel
              capability={each}
              draft={draftOf(each)}
              requestedModel={requestedModelOf(each)}
              isShown={each === capability}
              change={(next) => change(each, next)}
              onModel={(next) => navigateTo(each, next)}
              onSent={history.add}
              onSettings={() => setOverlay('settings')}
            />
          ),
        }))}
      />
      <Dialog open={overlay === 'code'} onClose={() => setOverlay(null)} title="Code for this request">
        {overlay === 'code' ? (
          <RequestCode capability={capability} model={id ?? 'provider/model'} draft={draft} />
        ) : null}
      </Dialog>
      <Drawer open={overlay === 'settings'} onClose={() => setOverlay(null)} title="Settings">
        <Settings capability={capability} draft={draft} change={(next) => change(capability, next)} />
      </Drawer>
      <Drawer
        open={overlay === 'history'}
        onClose={() => setOverlay(null)}
        title="History"
        description="Prompts are stored in this browser only, without responses. The last images, speech and video are stored until you sign out."
      >
        <HistoryList
          history={history}
          onOpen={(each) => {
            setDrafts((before) => ({ ...before, [each.capability]: each }));
            navigateTo(each.capability, each.model);
            setOverlay(null);
          }}
        />
      </Drawer>
    </Page>
  );
}

/** Code for the current request, with the conversation so far. */
function RequestCode({
  capability,
  model,
  draft,
}: {
  readonly capability: Capability;
  readonly model: string;
  readonly draft: Draft;
}): ReactNode {
  const [turns] = useTurns();
  const [images] = useAttachedImages();
  const [run] = useRun();
  const completion = useCompletion(run);
  const shown = turns.map((turn, index) => (index === turns.length - 1 && run ? { ...turn, completion } : turn));
  const body = requestOf(capability, model, draft, { turns: shown, images });
  return <CodeSamples samples={samplesOf({ capability, body }, location.origin)} />;
}

/** The panel of one capability with its settings. */
function CapabilityPanel({
  capability,
  draft,
  requestedModel,
  isShown,
  change,
  onModel,
  onSent,
  onSettings,
}: {
  readonly capability: Capability;
  readonly draft: Draft;
  readonly requestedModel: string | null;
  readonly isShown: boolean;
  readonly change: (next: Partial<Draft>) => void;
  readonly onModel: (id: string) => void;
  readonly onSent: (draft: TargetedDraft) => void;
  readonly onSettings: () => void;
}): ReactNode {
  const { model, id } = useModel(capability, requestedModel);
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Hidden media could not be stopped by the user.
    if (!isShown)
      for (const each of container.current?.querySelectorAll<HTMLMediaElement>('audio, video') ?? []) each.pause();
  }, [isShown]);
  const Panel = panels[capability];
  return (
    <div ref={container} className="grid gap-4 pt-2 lg:grid-cols-[minmax(0,1fr)_296px]">
      <div className="flex min-w-0 flex-col gap-2 lg:order-last">
        <ModelPicker capability={capability} chosen={id} onChoose={(next) => onModel(next.id)} />
        <ModelFacts id={id} model={model} />
        <div className="max-lg:hidden">
          <Settings capability={capability} draft={draft} change={change} />
        </div>
        <div className="lg:hidden">
          <Button icon={<SlidersHorizontal size={16} aria-hidden />} onClick={onSettings}>
            Settings
          </Button>
        </div>
      </div>
      <div className="flex min-h-[52dvh] min-w-0 flex-col">
        <Panel
          draft={draft}
          model={id}
          change={change}
          onSent={() => onSent({ ...draft, capability, model: id ?? '' })}
          isShown={isShown}
        />
      </div>
    </div>
  );
}

/** The selected model, or the first with the capability. */
function useModel(
  capability: Capability,
  requestedModel: string | null,
): { readonly id: string | null; readonly model: ModelRowFragment | null } {
  const { data } = useQuery(ModelListDocument, {
    filter: { capability, search: requestedModel ?? undefined },
    orderBy: 'ID',
    first: 20,
  });
  const model = data?.models.nodes.find(({ id }) => requestedModel === null || id === requestedModel) ?? null;
  return { id: requestedModel ?? model?.id ?? null, model };
}

function ModelFacts({ id, model }: { readonly id: string | null; readonly model: ModelRowFragment | null }): ReactNode {
  const unit = usePriceUnit();
  return (
    <div className="flex min-h-4 flex-col gap-0.5 text-small text-soft">
      {model ? (
        <>
          <span>
            {model.inputModalities.map(words).join(', ')} → {model.outputModalities.map(words).join(', ')}
          </span>
          <span className="figures">
            {model.pricing
              ? `${inputPrice(model.pricing, unit)} in, ${outputPrice(model.pricing, unit)} out`
              : 'Free of charge'}
          </span>
        </>
      ) : null}
      <span className="flex gap-0.5">
        <SandboxBadge model={id ?? ''} />
        <BetaBadge capabilities={model?.capabilities ?? []} />
      </span>
    </div>
  );
}
