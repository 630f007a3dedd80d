const MAX_CAUSES = 5;
/** What this server or its machine is out of, by Node's codes. */
const resources: Readonly<Record<string, string>> = {
  EMFILE: 'file descriptors',
  ENFILE: 'file descriptors',
  ENOBUFS: 'memory for connections',
  ENOMEM: 'memory',
};

/** The resource whose exhaustion caused an error; null where another fault did. */
export function exhaustedResource(error: unknown): string | null {
  for (const cause of causesOf(error)) {
    if (!('code' in cause)) continue;
    const code = String(cause.code);
    if (Object.hasOwn(resources, code)) return resources[code] ?? null;
    if (code === 'EADDRNOTAVAIL' && isOutOfPorts(cause)) return 'network ports';
  }
  return null;
}

/** A machine without IPv6 reports the same for each IPv6 address: that is no lack of ports. */
function isOutOfPorts(error: Error): boolean {
  return (
    'syscall' in error && error.syscall === 'connect' && 'address' in error && !String(error.address).includes(':')
  );
}

/** An error and its causes; of several addresses the error of each. */
export function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let at = error; at instanceof Error && causes.length < MAX_CAUSES; at = at.cause) {
    causes.push(at);
    if (at instanceof AggregateError)
      causes.push(...at.errors.slice(0, MAX_CAUSES).filter((each) => each instanceof Error));
  }
  return causes;
}
