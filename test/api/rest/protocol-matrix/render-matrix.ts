/** `none`: the client's or the provider's protocol has nothing for it. */
export type Outcome = 'relayed' | 'converted' | 'dropped' | 'refused' | 'none';

export interface Section {
  readonly title: string;
  /** Outcomes by feature, then by `client provider`. */
  readonly rows: Map<string, Map<string, Set<Outcome>>>;
}

const signs: Readonly<Record<Outcome, string>> = {
  relayed: '=',
  converted: '✓',
  dropped: 'dropped',
  refused: 'refused',
  none: '–',
};

/** The page of the documentation: a table for each protocol of clients. */
export function renderMatrix(
  sections: readonly Section[],
  clients: readonly string[],
  providers: readonly string[],
): string {
  const tables = clients.map((client) => {
    const parts = sections.map(({ title, rows }) => {
      const all = [...rows].map(([feature, cells]) => [
        feature,
        ...providers.map((provider) => signOf(cells.get(`${client} ${provider}`))),
      ]);
      const body = all.filter(([, ...cells]) => cells.some((cell) => cell !== signs.none));
      return `### ${title}\n\n${table([['', ...providers], ...body])}`;
    });
    const nested = parts.map((part) => part.replace(/^### (.*)$/m, `### $1 of ${client}`)).join('\n');
    return `## Clients of ${client}\n\n${nested}`;
  });
  return `${head}\n${tables.join('\n')}`;
}

const head = `# What each protocol carries

A client of any protocol reaches a provider of any other. Columns are the protocols of providers. This page is written by the tests, which send each request and response over sockets, streamed and not.

- \`=\`: relayed byte for byte, because client and provider have the same protocol.
- \`✓\`: converted.
- \`dropped\`: left out, and named in \`x-sluice-dropped-params\`.
- \`refused\`: 400, with an error that names it.
- \`–\`: one of the two protocols has nothing for it. A row is missing if the client's protocol has nothing for it at all.

Claude models at Google Vertex AI and Amazon Bedrock receive requests of Messages as Anthropic does, in [their own envelope](messages.md#relayed-and-converted), and Google's models at Vertex AI those of Gemini as Google does. Requests of other protocols are converted for them.
`;

/** Streamed and unstreamed requests have one sign if they have the same outcome. */
function signOf(outcomes: ReadonlySet<Outcome> | undefined): string {
  return [...(outcomes ?? [])].map((outcome) => signs[outcome]).join(', ');
}

/** Aligned as the formatter of the repository does. */
function table(rows: readonly (readonly string[])[]): string {
  const [first = [], ...rest] = rows;
  const widths = first.map((_cell, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return `${[line(first), rule, ...rest.map(line)].join('\n')}\n`;
}
