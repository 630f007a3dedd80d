import { z } from 'zod';

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z
    .array(
      z.object({
        message: z.string(),
        locations: z.array(z.object({ line: z.number() })).optional(),
        extensions: z.looseObject({ code: z.string() }),
      }),
    )
    .optional(),
  extensions: z.record(z.string(), z.any()).optional(),
});

export interface GraphqlAnswer extends z.infer<typeof answerSchema> {
  readonly status: number;
  readonly headers: Headers;
  /** Of the first error; null where there is none. */
  readonly code: string | null;
}

/** Posts a request as it is. */
export async function post(url: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  return read(
    await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }),
  );
}

export async function read(response: Response): Promise<GraphqlAnswer> {
  const answer = answerSchema.parse(await response.json());
  const { status, headers } = response;
  return { ...answer, status, headers, code: answer.errors?.[0]?.extensions.code ?? null };
}
