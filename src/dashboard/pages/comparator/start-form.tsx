import { useNavigate } from '@tanstack/react-router';
import { Columns3 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { SelectedModels } from '../../design/selected-models.tsx';
import { Failed } from '../../design/state.tsx';
import { Textarea } from '../../design/textarea.tsx';
import { StartComparisonDocument, type ComparisonKind, type StartComparisonInput } from '../../generated/graphql.ts';
import { parametersOf, type Capability } from '../playground/capabilities.ts';
import { newDraft, othersIn, parametersIn, type Draft } from '../playground/draft.ts';
import { ParameterFields } from '../playground/parameter-fields.tsx';
import type { Replay } from '../playground/replay/loaded-replay.tsx';
import { OtherParameters } from '../playground/settings.tsx';
import { EarlierMessages, promptOfReplay } from './replayed-prompt.tsx';
import { capabilityOf, MAX_LANES } from './search.ts';

/** Starts a comparison. */
export function StartForm({
  kind,
  models,
  onModels,
  replay,
}: {
  readonly kind: ComparisonKind;
  readonly models: readonly string[];
  readonly onModels: (models: readonly string[]) => void;
  /** Fills the form of a chat. */
  readonly replay?: Replay;
}): ReactNode {
  const capability = capabilityOf[kind];
  const [replayed] = useState(() => (replay ? promptOfReplay(replay) : null));
  const [earlier, setEarlier] = useState(replayed?.earlier ?? []);
  const [draft, setDraft] = useState(() => {
    const initial = newDraft(capability);
    if (replayed) return { ...initial, ...replayed.draft };
    const sharedPrompt = decodeURIComponent(location.hash.slice(1));
    if (sharedPrompt === '') return initial;
    return kind === 'EMBEDDINGS'
      ? { ...initial, texts: sharedPrompt.split('\n') }
      : { ...initial, prompt: sharedPrompt };
  });
  const [start, pending] = useMutation(StartComparisonDocument);
  const [failure, setFailure] = useState<Failure | null>(null);
  const navigate = useNavigate();
  const [one = '', other = ''] = draft.texts;
  const hasPrompt =
    kind === 'EMBEDDINGS'
      ? one.trim() !== '' && other.trim() !== ''
      : draft.prompt.trim() !== '' || (kind === 'CHAT' && earlier.length > 0);
  const send = async (): Promise<void> => {
    const parameters = allParameters(capability, draft);
    if (parameters === null) return;
    if (kind === 'SPEECH') parameters.voice ??= 'alloy';
    const input: StartComparisonInput = {
      kind,
      models: [...models],
      ...(kind === 'EMBEDDINGS' ? { texts: [one, other] } : promptIn(draft.prompt, kind === 'CHAT' ? earlier : [])),
      ...(Object.keys(parameters).length > 0 && { parameters }),
    };
    const result = await start({ input });
    setFailure(result.failure);
    if (result.data) void navigate({ to: '/compare/$id', params: { id: result.data.startComparison.id } });
  };
  return (
    <form
      className="flex flex-col gap-2 pt-2"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_296px]">
        <div className="flex min-w-0 flex-col gap-2">
          <SelectedModels capability={capability} models={models} max={MAX_LANES} onChange={onModels} />
          {kind === 'CHAT' && earlier.length > 0 ? (
            <EarlierMessages messages={earlier} onRemove={() => setEarlier([])} />
          ) : null}
          {kind === 'EMBEDDINGS' ? (
            <div className="grid gap-1.5 md:grid-cols-2">
              <Textarea
                label="First text"
                value={one}
                onChange={({ target }) => setDraft({ ...draft, texts: [target.value, other] })}
              />
              <Textarea
                label="Second text"
                value={other}
                onChange={({ target }) => setDraft({ ...draft, texts: [one, target.value] })}
              />
            </div>
          ) : (
            <Textarea
              label={kind === 'SPEECH' ? 'Text' : 'Prompt'}
              rows={5}
              value={draft.prompt}
              onChange={({ target }) => setDraft({ ...draft, prompt: target.value })}
            />
          )}
          {failure ? <Failed failure={failure} /> : null}
          <div>
            <Button
              variant="primary"
              type="submit"
              pending={pending}
              disabled={models.length === 0 || !hasPrompt}
              icon={<Columns3 size={16} aria-hidden />}
            >
              {models.length > 1 ? `Compare ${models.length} models` : 'Run'}
            </Button>
          </div>
        </div>
        <details className="min-w-0">
          <summary className="mb-1.5 font-strong">Parameters for all models</summary>
          <ParameterFields
            parameters={parametersOf[capability]}
            values={draft.parameters}
            onChange={(parameters) => setDraft({ ...draft, parameters })}
          />
          {kind === 'CHAT' ? (
            <div className="mt-1.5">
              <OtherParameters value={draft.others} onChange={(others) => setDraft({ ...draft, others })} />
            </div>
          ) : null}
        </details>
      </div>
    </form>
  );
}

/** Null where the other parameters are no JSON object: their field says so. */
function allParameters(capability: Capability, draft: Draft): Record<string, unknown> | null {
  const given = parametersIn(capability, draft);
  if (capability !== 'chat') return given;
  try {
    return { ...othersIn(draft), ...given };
  } catch {
    return null;
  }
}

/** @param earlier messages before the prompt */
function promptIn(prompt: string, earlier: readonly unknown[]): Pick<StartComparisonInput, 'prompt' | 'messages'> {
  if (earlier.length === 0) return { prompt };
  return { messages: [...earlier, ...(prompt.trim() === '' ? [] : [{ role: 'user', content: prompt }])] };
}
