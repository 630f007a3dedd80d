import { pngOf } from './image.ts';
import { textOf } from './texts.ts';

/** What an agent sends at its 40th message: the more it did, the longer are the results of its tools. */
const MESSAGES = 40;
/** Of each of its two screenshots, in pixels: 350 kB as a data URL. */
const IMAGE_SIDE = 296;
const RESULT_BYTES = 16_000;

const tools = [
  tool('read_file', 'Returns the lines of a file.', {
    path: { type: 'string', description: 'Relative to the root of the checkout.' },
    from: { type: 'integer', minimum: 1 },
    to: { type: 'integer', minimum: 1 },
  }),
  tool('edit_file', 'Replaces a text that is in a file once.', {
    path: { type: 'string' },
    old_text: { type: 'string' },
    new_text: { type: 'string' },
  }),
  tool('run_command', 'Runs a command and returns what it prints.', {
    command: { type: 'string' },
    timeout_seconds: { type: 'number', default: 120 },
    environment: { type: 'object', additionalProperties: { type: 'string' } },
  }),
  tool('search', 'Finds lines that match a regular expression.', {
    pattern: { type: 'string' },
    folders: { type: 'array', items: { type: 'string' } },
  }),
];

/**
 * A body of Chat Completions: a system prompt, then questions with a screenshot, calls of tools and their results, in which code
 * and JSON take turns. About 1 MB.
 */
export function agentConversation(model: string): object {
  const messages: object[] = [{ role: 'system', content: textOf('english', 12_000, 2) }];
  for (let turn = 0; messages.length < MESSAGES - 1; turn++) {
    // A screenshot at the first and at the middle question.
    if (turn === 0 || turn === 9) messages.push(question(turn));
    messages.push(call(turn), result(turn));
  }
  if (messages.length < MESSAGES) messages.push({ role: 'user', content: textOf('english', 300, 3) });
  return { model, stream: true, max_tokens: 1_000, tools, tool_choice: 'auto', messages };
}

function question(turn: number): object {
  const data = pngOf(IMAGE_SIDE, turn + 1).toString('base64');
  return {
    role: 'user',
    content: [
      { type: 'text', text: textOf('english', 400, turn + 10) },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
    ],
  };
}

function call(turn: number): object {
  const edits = {
    path: `src/file-${turn}.ts`,
    old_text: textOf('code', 300, turn),
    new_text: textOf('code', 400, turn),
  };
  const commands = { command: `npm test -- "test/file-${turn}.test.ts"`, timeout_seconds: 60 };
  const [name, given] = turn % 2 === 0 ? ['edit_file', edits] : ['run_command', commands];
  return {
    role: 'assistant',
    content: textOf('english', 120, turn + 30),
    tool_calls: [{ id: callId(turn), type: 'function', function: { name, arguments: JSON.stringify(given) } }],
  };
}

function result(turn: number): object {
  const content = textOf(turn % 3 === 0 ? 'json' : 'code', RESULT_BYTES, turn + 50);
  return { role: 'tool', tool_call_id: callId(turn), content };
}

function callId(turn: number): string {
  return `call_${String(turn).padStart(4, '0')}bench`;
}

function tool(name: string, description: string, properties: Record<string, object>): object {
  const required = Object.keys(properties).slice(0, 1);
  const parameters = { type: 'object', properties, required, additionalProperties: false };
  return { type: 'function', function: { name, description, parameters } };
}
