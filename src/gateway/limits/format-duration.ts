/** A duration as OpenAI's rate-limit headers write it: `0s`, `120ms`, `1s`, `3.89s`, `6m0s`, `1h2m3s`. */
export function formatDuration(ms: number): string {
  if (ms <= 0) return '0s';
  if (ms < 1_000) return `${Math.ceil(ms)}ms`;
  const hundredths = Math.ceil(ms / 10);
  if (hundredths < 6_000) return `${hundredths / 100}s`;
  const seconds = Math.ceil(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}m${seconds % 60}s` : `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds % 60}s`;
}
