/** A content block of a message that is being encoded. */
export type Block =
  | { readonly type: 'text'; text: string; readonly citations: null }
  | { readonly type: 'thinking'; thinking: string; signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; json: string };

/** A complete block, as a document has it. */
export function contentOf(block: Block): object {
  if (block.type !== 'tool_use') return block;
  return { ...calledBy(block), input: inputOf(block.json) };
}

/** A tool call without its input. */
export function calledBy({ type, id, name }: Extract<Block, { readonly type: 'tool_use' }>): object {
  return { type, id, name, caller: { type: 'direct' } };
}

/** Arguments that a limit cut off are no JSON. */
function inputOf(json: string): object {
  try {
    const input: unknown = JSON.parse(json === '' ? '{}' : json);
    return typeof input === 'object' && input !== null ? input : { value: input };
  } catch {
    return { INVALID_JSON: json };
  }
}
