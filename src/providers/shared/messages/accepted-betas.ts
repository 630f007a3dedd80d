import type { NativeContext } from '../../contract.ts';

const HEADER = 'anthropic-beta';
/** Names as Anthropic writes them: `context-1m-2025-08-07`. */
const nameForm = /^[\w.-]{1,100}$/;

/**
 * Hosts other than Anthropic have tool search under a name of its own. Source:
 * platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool, "Model compatibility".
 */
const renamed: Readonly<Record<string, string>> = {
  'advanced-tool-use-2025-11-20': 'tool-search-tool-2025-10-19',
};

/** The betas of one request. */
export interface AcceptedBetas {
  /** By the host's names, each once. */
  readonly sent: readonly string[];
  /** As they are reported to the client: `anthropic-beta:files-api-2025-04-14`. */
  readonly dropped: readonly string[];
}

/**
 * Separates the betas that a host accepts from those that it does not: it refuses a request that names one of the latter, and
 * Claude Code names several in each request.
 */
export function acceptedBetas(
  { headers }: Pick<NativeContext, 'headers'>,
  accepted: ReadonlySet<string>,
): AcceptedBetas {
  const sent = new Set<string>();
  const dropped = new Set<string>();
  for (const name of betasOf(headers)) {
    const there = Object.hasOwn(renamed, name) && !accepted.has(name) ? (renamed[name] ?? name) : name;
    if (accepted.has(there)) sent.add(there);
    else dropped.add(nameForm.test(name) ? `${HEADER}:${name}` : HEADER);
  }
  return { sent: [...sent], dropped: [...dropped] };
}

/** The betas of a host, with those that an operator adds or removes: `new-1,-old-2`. */
export function withConfiguredBetas(accepted: readonly string[], option: string | undefined): ReadonlySet<string> {
  const names = new Set(accepted);
  for (const name of namesIn(option ?? '')) {
    if (name.startsWith('-')) names.delete(name.slice(1));
    else names.add(name);
  }
  return names;
}

function betasOf(headers: readonly string[]): readonly string[] {
  return headers.flatMap((value, at) => (at % 2 === 1 && headers[at - 1] === HEADER ? namesIn(value) : []));
}

function namesIn(list: string): readonly string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
