/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** A chat completion. */
export type CompletionInput = {
  /** An ID chosen by the client, 1 to 100 characters. The same ID resumes the completion and never runs it again. */
  clientRequestId: string | number;
  /** The conversation in the format of `POST /v1/chat/completions`. */
  messages: unknown;
  /** `provider/model`, an alias, or an unambiguous bare name. */
  model: string;
  /** Additional parameters of the request: `temperature`, `tools`, `max_completion_tokens` … */
  parameters?: unknown;
};

/** The outcome of a request. */
export type RequestStatus =
  /** The client disconnected. */
  | 'ABORTED'
  /** No provider responded, or the response was interrupted. */
  | 'FAILED'
  /** The server stopped during the request. The usage is estimated. */
  | 'INTERRUPTED'
  /** The request was rejected before it was sent to a provider: because of its key, limits, model or body. */
  | 'REJECTED'
  /** The client received the complete response. */
  | 'SUCCEEDED';

export type CompletionSubscriptionVariables = Exact<{
  input: CompletionInput;
  after?: string | null | undefined;
}>;


export type CompletionSubscription = { completion:
    | { __typename: 'CompletionDelta', cursor: string | null, choice: number, text: string }
    | { __typename: 'CompletionFailed', code: string, message: string }
    | { __typename: 'CompletionFinished', cursor: string | null, finishReason: string | null, usage: { inputTokens: number, outputTokens: number }, cost: { amount: string } }
    | { __typename: 'CompletionReasoning' }
    | { __typename: 'CompletionStarted', cursor: string | null, model: string, provider: string }
    | { __typename: 'CompletionToolCall' }
    | { __typename: 'EventGap' }
   };

export type UsageQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type UsageQuery = { usageLogs: { nodes: Array<{ requestId: string, model: string, status: RequestStatus, inputTokens: number, outputTokens: number, cost: { amount: string, currency: string }, explanation: Array<{ label: string, tokens: number, rate: string, amount: { amount: string } }> }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}

export const CompletionDocument = new TypedDocumentString(`
    subscription Completion($input: CompletionInput!, $after: Cursor) {
  completion(input: $input, after: $after) {
    __typename
    ... on CompletionStarted {
      cursor
      model
      provider
    }
    ... on CompletionDelta {
      cursor
      choice
      text
    }
    ... on CompletionFinished {
      cursor
      finishReason
      usage {
        inputTokens
        outputTokens
      }
      cost {
        amount
      }
    }
    ... on CompletionFailed {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<CompletionSubscription, CompletionSubscriptionVariables>;
export const UsageDocument = new TypedDocumentString(`
    query Usage($after: Cursor) {
  usageLogs(first: 50, after: $after) {
    nodes {
      requestId
      model
      status
      inputTokens
      outputTokens
      cost {
        amount
        currency
      }
      explanation {
        label
        tokens
        rate
        amount {
          amount
        }
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<UsageQuery, UsageQueryVariables>;