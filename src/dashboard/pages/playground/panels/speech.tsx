import { Download } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { isObject } from '../../../data/json.ts';
import { useObjectUrl } from '../../../data/object-url.ts';
import { buttonClass } from '../../../design/button.tsx';
import { count } from '../../../design/format.ts';
import { Textarea } from '../../../design/textarea.tsx';
import { persistentCall } from '../persistent-call.ts';
import type { PanelProps } from '../panel.ts';
import { requestOf } from '../request.ts';
import { paths } from '../samples.ts';
import { SendForm } from '../send-form.tsx';

interface SpeechResult {
  readonly audio: Blob;
  readonly format: string;
}

const useSpeech = persistentCall<SpeechResult>({ capability: 'speech', read: readStoredSpeech });

/** Generates speech from a text. */
export function Speech({ draft, model, change, onSent, isShown }: PanelProps): ReactNode {
  const called = useSpeech();
  // Restored results do not play automatically.
  const [isNew, setNew] = useState(false);
  const send = (): void => {
    if (model === null) return;
    onSent();
    setNew(true);
    const body = requestOf('speech', model, draft);
    called.call({ path: paths.speech, body }, draft.prompt, async ({ response }) => ({
      audio: await response.blob(),
      format: (draft.parameters.response_format ?? '') || 'mp3',
    }));
  };
  return (
    <SendForm
      called={called}
      input={draft.prompt}
      canSend={model !== null && draft.prompt.trim() !== ''}
      label="Generate"
      onSend={send}
      empty="The speech can be played here."
      fields={
        <Textarea
          label="Text"
          required
          maxLength={4096}
          value={draft.prompt}
          onChange={({ target }) => change({ prompt: target.value })}
        />
      }
    >
      {(spoken) => <Player spoken={spoken} playsAutomatically={isShown && isNew} />}
    </SendForm>
  );
}

function Player({
  spoken: { audio, format },
  playsAutomatically,
}: {
  readonly spoken: SpeechResult;
  readonly playsAutomatically: boolean;
}): ReactNode {
  const url = useObjectUrl(audio);
  return (
    <div className="flex items-center gap-1">
      {/* The text is shown above. */}
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
      <audio
        controls
        autoPlay={playsAutomatically}
        src={url ?? undefined}
        aria-label="Generated speech"
        className="min-w-0 flex-1"
      />
      <span className="figures text-small text-soft">{count(audio.size / 1024)} kB</span>
      <a
        href={url ?? undefined}
        download={`speech.${format}`}
        aria-label="Save the audio"
        className={buttonClass('quiet', true)}
      >
        <Download size={16} aria-hidden />
      </a>
    </div>
  );
}

function readStoredSpeech(stored: unknown): SpeechResult | null {
  if (!isObject(stored) || !(stored.audio instanceof Blob) || typeof stored.format !== 'string') return null;
  return { audio: stored.audio, format: stored.format };
}
