import type { Sample } from '../../design/sample.ts';

/** A first batch of each API. The key is read from the environment. */
export function batchSamples(origin: string, model: string): readonly Sample[] {
  const params = { model, max_tokens: 100, messages: [{ role: 'user', content: 'Say hello.' }] };
  const endpoint = '/v1/chat/completions';
  const line = JSON.stringify({ custom_id: 'first', method: 'POST', url: endpoint, body: params });
  const batch = `{"input_file_id":"'$file'","endpoint":"${endpoint}","completion_window":"24h"}`;
  return [
    {
      language: 'OpenAI',
      code: `echo '${line}' > requests.jsonl
file=$(curl -s ${origin}/v1/files -H "Authorization: Bearer $SLUICE_API_KEY" \\
  -F purpose=batch -F file=@requests.jsonl | sed -E 's/.*"id":"([^"]+)".*/\\1/')
curl ${origin}/v1/batches -H "Authorization: Bearer $SLUICE_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${batch}'`,
    },
    {
      language: 'Anthropic',
      code: `curl ${origin}/v1/messages/batches -H "x-api-key: $SLUICE_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ requests: [{ custom_id: 'first', params }] })}'`,
    },
  ];
}
