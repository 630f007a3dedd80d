import {
  dataEvent,
  OUTPUT_TOKENS,
  PROMPT_TOKENS,
  type Call,
  type Json,
  type MatrixProtocol,
  type Part,
  type ReadResponse,
  type ResponseContent,
  type Turn,
} from '../matrix-protocol.ts';

const finishReasons = { stop: 'STOP', length: 'MAX_TOKENS', tools: 'STOP', refusal: 'SAFETY' } as const;

const inline = (mimeType: string, data: string): Json => ({ inlineData: { mimeType, data } });

const partOf = (part: Part): Json => {
  if (part.type === 'text') return { text: part.text };
  if (part.type === 'link') return { fileData: { mimeType: 'application/pdf', fileUri: part.url } };
  return inline(part.type === 'image' ? 'image/png' : 'application/pdf', part.data);
};

function contentOf(turn: Turn): Json {
  if (turn.role === 'user') return { role: 'user', parts: turn.parts.map(partOf) };
  if (turn.role === 'tool')
    return {
      role: 'user',
      parts: turn.results.map(({ id, name, text, image }) => ({
        functionResponse: {
          id,
          name,
          response: { output: text },
          ...(image !== undefined && { parts: [inline('image/png', image)] }),
        },
      })),
    };
  return {
    role: 'model',
    parts: [
      ...(turn.text === undefined ? [] : [{ text: turn.text }]),
      ...(turn.calls ?? []).map(({ id, name, input }) => ({ functionCall: { id, name, args: input } })),
    ],
  };
}

function readTurns({ role, parts }: Json): Turn[] {
  const all: Json[] = parts;
  if (role === 'model')
    return [
      {
        role: 'assistant',
        text: all.map(({ text, thought }) => (thought ? '' : (text ?? ''))).join(''),
        calls: all.flatMap(({ functionCall: call }) =>
          call ? [{ id: call.id ?? '', name: call.name, input: call.args ?? {} }] : [],
        ),
        signature: all.map(({ thoughtSignature }) => thoughtSignature ?? '').join(''),
      },
    ];
  const results = all.filter(({ functionResponse }) => functionResponse);
  const images = all.filter(({ inlineData }) => inlineData);
  const said = all.flatMap((part): Part[] => {
    if (typeof part.text === 'string') return [{ type: 'text', text: part.text }];
    if (part.fileData) return [{ type: 'link', url: part.fileData.fileUri }];
    if (!part.inlineData) return [];
    const type = part.inlineData.mimeType === 'application/pdf' ? 'document' : 'image';
    return [{ type, data: part.inlineData.data }];
  });
  return [
    ...(results.length === 0
      ? []
      : [
          {
            role: 'tool' as const,
            results: results.map(({ functionResponse: result }) => ({
              id: result.id ?? '',
              name: result.name,
              text: JSON.stringify(result.response),
              // Models before Gemini 3 receive images beside their results.
              image: result.parts?.[0]?.inlineData?.data ?? images[0]?.inlineData.data,
            })),
          },
        ]),
    ...(said.length === 0 ? [] : [{ role: 'user' as const, parts: said }]),
  ];
}

function partsOf({ text, thinking, signature, calls }: ResponseContent): Json[] {
  const signed = signature === undefined ? {} : { thoughtSignature: signature };
  return [
    ...(thinking === undefined ? [] : [{ text: thinking, thought: true }]),
    ...(text === undefined ? [] : [{ text }]),
    ...(calls ?? []).map(({ id, name, input }, index) => ({
      functionCall: { id, name, args: input },
      ...(index === 0 && signed),
    })),
  ];
}

const usageOf = ({ cachedTokens = 0 }: ResponseContent): Json => ({
  promptTokenCount: PROMPT_TOKENS,
  cachedContentTokenCount: cachedTokens,
  candidatesTokenCount: OUTPUT_TOKENS,
  totalTokenCount: PROMPT_TOKENS + OUTPUT_TOKENS,
});

function documentOf(content: ResponseContent): Json {
  const candidate = {
    index: 0,
    content: { role: 'model', parts: partsOf(content) },
    finishReason: finishReasons[content.stop],
  };
  return { candidates: [candidate], usageMetadata: usageOf(content), modelVersion: 'recorded', responseId: 'r1' };
}

function readResponse(chunks: readonly Json[]): ReadResponse {
  const error = chunks.find((chunk) => chunk.error)?.error.message ?? null;
  const parts: Json[] = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
  const finish = chunks.findLast((chunk) => chunk.candidates?.[0]?.finishReason)?.candidates[0].finishReason ?? null;
  const usage = chunks.findLast((chunk) => chunk.usageMetadata)?.usageMetadata;
  const calls: Call[] = parts.flatMap(({ functionCall: call }) =>
    call ? [{ id: call.id ?? '', name: call.name, input: call.args ?? {} }] : [],
  );
  const stops = { STOP: calls.length > 0 ? 'tools' : 'stop', MAX_TOKENS: 'length' } as const;
  const known = stops[finish as keyof typeof stops];
  return {
    text: parts.map(({ text, thought }) => (thought ? '' : (text ?? ''))).join(''),
    thinking: parts.map(({ text, thought }) => (thought ? (text ?? '') : '')).join(''),
    calls,
    stop: finish === null ? null : (known ?? 'refusal'),
    cachedTokens: usage?.cachedContentTokenCount ?? 0,
    error,
    turn: { role: 'model', parts },
  };
}

export const gemini: MatrixProtocol = {
  name: 'gemini',
  title: 'Gemini',
  writeRequest(content, model, streamed, turn) {
    const { system, turns, tools, toolChoice, schema, thinks, maxTokens, temperature, stop } = content;
    const last = turns.findLast(({ role }) => role === 'assistant');
    const method = streamed ? 'streamGenerateContent?alt=sse' : 'generateContent';
    const generationConfig = {
      ...(schema && { responseMimeType: 'application/json', responseJsonSchema: schema }),
      ...(thinks && { thinkingConfig: { includeThoughts: true, thinkingBudget: 1_024 } }),
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      ...(temperature !== undefined && { temperature }),
      ...(stop !== undefined && { stopSequences: [stop] }),
    };
    return {
      path: `/v1beta/models/${model}:${method}`,
      body: {
        ...(system !== undefined && { systemInstruction: { parts: [{ text: system }] } }),
        contents: turns.map((each) => (turn !== undefined && each === last ? turn : contentOf(each))),
        ...(tools && {
          tools: [
            {
              functionDeclarations: tools.map(({ name, schema: parametersJsonSchema }) => ({
                name,
                parametersJsonSchema,
              })),
            },
          ],
        }),
        ...(toolChoice !== undefined && {
          toolConfig: {
            functionCallingConfig: {
              mode: 'ANY',
              ...(toolChoice !== 'required' && { allowedFunctionNames: [toolChoice] }),
            },
          },
        }),
        ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
      },
    };
  },
  readRequest(body) {
    const config = body.generationConfig ?? {};
    const calling = body.toolConfig?.functionCallingConfig;
    const declared: Json[] = (body.tools ?? []).flatMap((tool: Json) => tool.functionDeclarations ?? []);
    return {
      system: (body.systemInstruction?.parts ?? []).map(({ text }: Json) => text).join('\n'),
      turns: body.contents.flatMap(readTurns),
      tools: declared.map((tool) => ({ name: tool.name, schema: tool.parametersJsonSchema ?? tool.parameters })),
      toolChoice: calling?.mode === 'ANY' ? (calling.allowedFunctionNames?.[0] ?? 'required') : undefined,
      schema: config.responseJsonSchema ?? config.responseSchema,
      thinks: config.thinkingConfig !== undefined,
      maxTokens: config.maxOutputTokens,
      temperature: config.temperature,
      stop: config.stopSequences?.[0],
    };
  },
  writeDocument: documentOf,
  writeEvents(content) {
    const document = documentOf(content);
    const [candidate] = document.candidates;
    const { finishReason: _finish, ...begun } = candidate;
    const parts: Json[] = candidate.content.parts;
    return [
      ...parts.map((part) =>
        dataEvent({ ...document, candidates: [{ ...begun, content: { role: 'model', parts: [part] } }] }),
      ),
      dataEvent({ ...document, candidates: [{ ...candidate, content: { role: 'model', parts: [{ text: '' }] } }] }),
    ];
  },
  writeErrorEvent: (message) => dataEvent({ error: { code: 503, message, status: 'UNAVAILABLE' } }),
  writeError: (code, message) => ({ error: { code, message, status: 'RESOURCE_EXHAUSTED' } }),
  readDocument: (body) => readResponse([body]),
  readEvents: (events) => readResponse(events),
};
