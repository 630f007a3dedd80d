type Json = Readonly<Record<string, unknown>>;

/**
 * The messages of a request with ids. Source: OpenAI's API document, ChatCompletionMessageList, whose example has the messages of
 * any role, and not the model's.
 */
export function storedMessages(completionId: string, messages: readonly Json[]): readonly Json[] {
  return messages.map((message, index) => {
    const { content } = message;
    return {
      id: `${completionId}-${index}`,
      ...message,
      content: typeof content === 'string' ? content : null,
      refusal: message.refusal ?? null,
      name: message.name ?? null,
      content_parts: Array.isArray(content) ? content : null,
    };
  });
}
