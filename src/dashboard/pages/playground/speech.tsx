import { Download } from 'lucide-react';
import { useEffect, type ReactNode } from 'react';
import { buttonClass } from '../../design/button.tsx';
import { count } from '../../design/format.ts';
import { Textarea } from '../../design/textarea.tsx';
import type { PanelProps } from './panel.ts';
import { requestOf } from './request.ts';
import { paths } from './samples.ts';
import { SendForm } from './send-form.tsx';
import { useCall } from './use-call.ts';

interface Spoken {
  readonly url: string;
  readonly bytes: number;
  readonly format: string;
}

/** A text, spoken. */
export function Speech({ draft, model, change, onSent, isShown }: PanelProps): ReactNode {
  const called = useCall<Spoken>();
  const url = called.value?.url ?? null;
  useEffect(() => () => (url === null ? undefined : URL.revokeObjectURL(url)), [url]);
  const send = (): void => {
    if (model === null) return;
    onSent();
    called.call({ path: paths.speech, body: requestOf('speech', model, draft) }, async ({ response }) => {
      const blob = await response.blob();
      const format = (draft.parameters.response_format ?? '') || 'mp3';
      return { url: URL.createObjectURL(blob), bytes: blob.size, format };
    });
  };
  return (
    <SendForm
      called={called}
      canSend={model !== null && draft.prompt.trim() !== ''}
      label="Speak"
      onSend={send}
      empty="What is spoken can be played here."
      fields={
        <Textarea
          label="Text to speak"
          required
          maxLength={4096}
          value={draft.prompt}
          onChange={({ target }) => change({ prompt: target.value })}
        />
      }
    >
      {(spoken) => (
        <div className="flex items-center gap-1">
          {/* The text stands above it. */}
          {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
          <audio controls autoPlay={isShown} src={spoken.url} aria-label="The spoken text" className="min-w-0 flex-1" />
          <span className="figures text-small text-soft">{count(spoken.bytes / 1024)} kB</span>
          <a
            href={spoken.url}
            download={`speech.${spoken.format}`}
            aria-label="Save the recording"
            className={buttonClass('quiet', true)}
          >
            <Download size={16} aria-hidden />
          </a>
        </div>
      )}
    </SendForm>
  );
}
