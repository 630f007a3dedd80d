import { useCallback, useEffect, useRef, useState } from 'react';

export interface Recorder {
  readonly isRecording: boolean;
  readonly error: string | null;
  start(): void;
  /** Stops the recording, or the request for the microphone. */
  stop(): void;
}

/** Records from the microphone. @param onRecorded receives the recording */
export function useRecorder(onRecorded: (file: File) => void): Recorder {
  const [isRecording, setRecording] = useState(false);
  const [error, setError] = useState<string | null>(null);
  /** The current recording, from the permission prompt on. */
  const recording = useRef<AbortController | null>(null);
  const recordedCallback = useRef(onRecorded);
  useEffect(() => {
    recordedCallback.current = onRecorded;
  });
  const stop = useCallback(() => {
    recording.current?.abort();
    recording.current = null;
    setRecording(false);
  }, []);
  useEffect(() => stop, [stop]);
  const start = useCallback(() => {
    if (recording.current) return;
    const own = new AbortController();
    recording.current = own;
    setError(null);
    record(own.signal, () => setRecording(true))
      .then((file) => (file ? recordedCallback.current(file) : undefined))
      .catch(() => {
        if (own.signal.aborted) return;
        setError('The microphone is not available. Allow it for this page (browsers require HTTPS), or upload a file.');
      })
      .finally(() => (recording.current === own ? stop() : undefined));
  }, [stop]);
  return { isRecording, error, start, stop };
}

/** @returns the recording up to the abort signal; null when it was aborted before the recording started */
async function record(signal: AbortSignal, onStart: () => void): Promise<File | null> {
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
      onStart();
    });
    const type = recorder.mimeType.split(';')[0] ?? 'audio/webm';
    return new File(parts, `recording.${type.endsWith('mp4') ? 'm4a' : 'webm'}`, { type });
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}
