import type { FirstOwner } from '../services/identity/first-owner.ts';

/** Terminal output when the server is ready. */
export function welcome(url: string, owner: FirstOwner | null, sandbox: boolean): string {
  const lines = [
    '',
    `  Sluice is ready at ${url}`,
    `  Dashboard ${url}   Guide ${url}/docs/guide`,
    `  REST ${url}/v1   GraphQL and WebSocket ${url}/graphql   API reference ${url}/docs`,
  ];
  if (owner === null) return `${[...lines, ''].join('\n')}\n`;
  lines.push('', `  Owner account: ${owner.email}`);
  if (owner.generatedPassword) lines.push(`  Password:      ${owner.generatedPassword}`);
  lines.push(
    `  API key:       ${owner.apiKey}`,
    `  ${owner.generatedPassword ? 'The password and the API key are' : 'The API key is'} not shown again.`,
    '',
    sandbox ? '  Try it (the sandbox responds offline; it is not an AI model):' : '  Try it:',
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
