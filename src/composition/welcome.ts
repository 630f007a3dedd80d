import type { FirstOwner } from '../services/accounts/first-owner.ts';

/** What the terminal shows when the server is ready. */
export function welcome(url: string, owner: FirstOwner | null, sandbox: boolean): string {
  const lines = [
    '',
    `  Sluice is ready at ${url}`,
    `  Dashboard ${url}   (open it in a browser)`,
    `  REST ${url}/v1   GraphQL and WebSocket ${url}/graphql   Docs ${url}/docs`,
  ];
  if (owner === null) return `${[...lines, ''].join('\n')}\n`;
  lines.push('', `  Your owner account: ${owner.email}`);
  if (owner.generatedPassword) lines.push(`  Its password:       ${owner.generatedPassword}`);
  lines.push(
    `  Your API key:       ${owner.apiKey}`,
    '  Both are shown this once: keep them.',
    '',
    sandbox ? '  Try it (the sandbox answers, offline; it is no AI model):' : '  Try it:',
    '',
    curlLine(url, owner.apiKey, sandbox ? 'sandbox/chat' : 'openai/gpt-4.1-mini'),
    '',
  );
  return `${lines.join('\n')}\n`;
}

function curlLine(url: string, apiKey: string, model: string): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }] });
  return `curl ${url}/v1/chat/completions -H "Authorization: Bearer ${apiKey}" -H "Content-Type: application/json" -d '${body}'`;
}
