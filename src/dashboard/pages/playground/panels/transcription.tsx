import { Mic, Square, Upload } from 'lucide-react';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { Button } from '../../../design/button.tsx';
import { CopyButton } from '../../../design/copy.tsx';
import { count } from '../../../design/format.ts';
import { isObject } from '../../../data/json.ts';
import type { PanelProps } from '../panel.ts';
import { requestOf } from '../request.ts';
import { paths } from '../samples.ts';
import { SendForm } from '../send-form.tsx';
import { persistentCall } from '../persistent-call.ts';
import { useRecorder } from './use-recorder.ts';

const useTranscript = persistentCall<string>();

/** Transcribes a recording or an uploaded file. */
export function Transcription({ draft, model, onSent, isShown }: PanelProps): ReactNode {
  const called = useTranscript();
  const [file, setFile] = useState<File | null>(null);
  const { isRecording, error, start, stop } = useRecorder(setFile);
  // Hidden panels must not record.
  useEffect(() => {
    if (!isShown) stop();
  }, [isShown, stop]);
  const chooser = useRef<HTMLInputElement>(null);
  const url = useMemo(() => (file ? URL.createObjectURL(file) : null), [file]);
  useEffect(() => () => (url === null ? undefined : URL.revokeObjectURL(url)), [url]);
  const send = (): void => {
    if (model === null || file === null) return;
    onSent();
    const form = new FormData();
    for (const [name, value] of Object.entries(requestOf('transcription', model, draft))) form.set(name, String(value));
    form.set('file', file);
    called.call({ path: paths.transcription, body: form }, file.name, async ({ response }) =>
      transcriptText(await response.text()),
    );
  };
  return (
    <SendForm
      called={called}
      input={file?.name ?? ''}
      canSend={model !== null && file !== null}
      label="Transcribe"
      onSend={send}
      empty="The transcript appears here."
      fields={
        <div className="flex flex-col gap-1.5">
          <div className="flex flex-wrap items-center gap-1">
            {isRecording ? (
              <Button variant="danger" onClick={stop} icon={<Square size={12} aria-hidden />}>
                Stop recording
              </Button>
            ) : (
              <Button onClick={start} icon={<Mic size={16} aria-hidden />}>
                Record
              </Button>
            )}
            <Button onClick={() => chooser.current?.click()} icon={<Upload size={16} aria-hidden />}>
              Upload audio
            </Button>
            <input
              ref={chooser}
              type="file"
              accept="audio/*,video/mp4,video/webm"
              hidden
              aria-label="Recording"
              onChange={({ target }) => setFile(target.files?.[0] ?? null)}
            />
            <span role="status" className="figures min-w-0 wrap-anywhere text-soft">
              {isRecording
                ? 'Recording …'
                : file
                  ? `${file.name}, ${count(Math.ceil(file.size / 1024))} kB`
                  : 'Up to 25 MB.'}
            </span>
          </div>
          {error ? (
            <p role="alert" className="text-bad">
              {error}
            </p>
          ) : null}
          {url ? (
            // The captions are what the request asks for.
            // oxlint-disable-next-line jsx-a11y/media-has-caption
            <audio controls src={url} aria-label="Recording to transcribe" className="w-full" />
          ) : null}
        </div>
      }
    >
      {(text) => (
        <div className="flex items-start gap-1 rounded-medium bg-panel p-2">
          <p className="min-w-0 flex-1 whitespace-pre-wrap">{text}</p>
          <CopyButton text={text} label="Copy the text" />
        </div>
      )}
    </SendForm>
  );
}

/** The text of a JSON response; other formats as they are. */
function transcriptText(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body);
    return isObject(parsed) && typeof parsed.text === 'string' ? parsed.text : body;
  } catch {
    return body;
  }
}
