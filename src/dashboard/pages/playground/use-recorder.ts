import { useCallback, useEffect, useRef, useState } from 'react';

export interface Recorder {
  readonly isRecording: boolean;
  readonly fault: string | null;
  start(): void;
  stop(): void;
}

/** Records from the microphone. @param onRecorded what was recorded */
export function useRecorder(onRecorded: (file: File) => void): Recorder {
  const [isRecording, setRecording] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const recorder = useRef<MediaRecorder | null>(null);
  const done = useRef(onRecorded);
  useEffect(() => {
    done.current = onRecorded;
  });
  const stop = useCallback(() => recorder.current?.stop(), []);
  useEffect(() => () => release(recorder.current), []);
  const start = useCallback(() => {
    setFault(null);
    record()
      .then((made) => {
        recorder.current = made;
        const parts: Blob[] = [];
        made.addEventListener('dataavailable', ({ data }) => parts.push(data));
        made.addEventListener('stop', () => {
          release(made);
          setRecording(false);
          const type = made.mimeType.split(';')[0] ?? 'audio/webm';
          done.current(new File(parts, `recording.${type.endsWith('mp4') ? 'm4a' : 'webm'}`, { type }));
        });
        made.start();
        setRecording(true);
      })
      .catch(() =>
        setFault(
          'The microphone cannot be used. Allow it for this page (browsers need HTTPS for it), or upload a file.',
        ),
      );
  }, []);
  return { isRecording, fault, start, stop };
}

async function record(): Promise<MediaRecorder> {
  return new MediaRecorder(await navigator.mediaDevices.getUserMedia({ audio: true }));
}

function release(recorder: MediaRecorder | null): void {
  for (const track of recorder?.stream.getTracks() ?? []) track.stop();
}
