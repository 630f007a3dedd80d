import { MIN_RECOMMENDED_LIMIT } from './descriptor-limit.ts';

export const LIMIT_ADVICE =
  'Raise the hard limit: `ulimit -n 65536`, `LimitNOFILE=65536` of a systemd unit, or `--ulimit nofile=65536` of Docker.';

/** @param limit null where it is not known */
export function limitWarnings(limit: number | null): readonly string[] {
  if (limit === null || limit >= MIN_RECOMMENDED_LIMIT) return [];
  return [
    `this process may have only ${limit} file descriptors open: about ${Math.floor(limit / 2)} streams, and fewer beside other connections. ${LIMIT_ADVICE} See docs/operations/connections.md`,
  ];
}
