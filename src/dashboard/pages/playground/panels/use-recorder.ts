import { useCallback, useEffect, useRef, useState } from 'react';

export interface Recorder {
  readonly isRecording: boolean;
  readonly fault: string | null;
  start(): void;
  /** Stops the recording, or the request for the microphone. */
  stop(): void;
}

/** Records from the microphone. @param onRecorded receives the recording */
export function useRecorder(onRecorded: (file: File) => void): Recorder {
  const [isRecording, setRecording] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  /** The current recording, from the permission prompt on. */
  const wanted = useRef<AbortController | null>(null);
  const done = useRef(onRecorded);
  useEffect(() => {
    done.current = onRecorded;
  });
  const stop = useCallback(() => {
    wanted.current?.abort();
    wanted.current = null;
    setRecording(false);
  }, []);
  useEffect(() => stop, [stop]);
  const start = useCallback(() => {
    if (wanted.current) return;
    const own = new AbortController();
    wanted.current = own;
    setFault(null);
    record(own.signal, () => setRecording(true))
      .then((file) => (file ? done.current(file) : undefined))
      .catch(() => {
        if (own.signal.aborted) return;
        setFault('The microphone is not available. Allow it for this page (browsers require HTTPS), or upload a file.');
      })
      .finally(() => (wanted.current === own ? stop() : undefined));
  }, [stop]);
  return { isRecording, fault, start, stop };
}

/** @returns the recording up to the abort signal; null when it was aborted before the recording started */
async function record(signal: AbortSignal, onBegun: () => void): Promise<File | null> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  try {
    if (signal.aborted) return null;
    const recorder = new MediaRecorder(stream);
    const parts: Blob[] = [];
    recorder.addEventListener('dataavailable', ({ data }) => parts.push(data));
    await new Promise<void>((resolve) => {
      recorder.addEventListener('stop', () => resolve());
      signal.addEventListener('abort', () => (recorder.state === 'inactive' ? undefined : recorder.stop()));
      recorder.start();
      onBegun();
    });
    const type = recorder.mimeType.split(';')[0] ?? 'audio/webm';
    return new File(parts, `recording.${type.endsWith('mp4') ? 'm4a' : 'webm'}`, { type });
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}
