/* eslint-disable */
import * as types from './graphql.ts';



/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "subscription Completion($input: CompletionInput!, $after: Cursor) {\n  completion(input: $input, after: $after) {\n    __typename\n    ... on CompletionStarted {\n      cursor\n      model\n      provider\n    }\n    ... on CompletionDelta {\n      cursor\n      choice\n      text\n    }\n    ... on CompletionFinished {\n      cursor\n      finishReason\n      usage {\n        inputTokens\n        outputTokens\n      }\n      cost {\n        amount\n      }\n    }\n    ... on CompletionFailed {\n      code\n      message\n    }\n  }\n}": typeof types.CompletionDocument,
    "query Usage($after: Cursor) {\n  usageLogs(first: 50, after: $after) {\n    nodes {\n      requestId\n      model\n      status\n      inputTokens\n      outputTokens\n      cost {\n        amount\n        currency\n      }\n      explanation {\n        label\n        tokens\n        rate\n        amount {\n          amount\n        }\n      }\n    }\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n  }\n}": typeof types.UsageDocument,
};
const documents: Documents = {
    "subscription Completion($input: CompletionInput!, $after: Cursor) {\n  completion(input: $input, after: $after) {\n    __typename\n    ... on CompletionStarted {\n      cursor\n      model\n      provider\n    }\n    ... on CompletionDelta {\n      cursor\n      choice\n      text\n    }\n    ... on CompletionFinished {\n      cursor\n      finishReason\n      usage {\n        inputTokens\n        outputTokens\n      }\n      cost {\n        amount\n      }\n    }\n    ... on CompletionFailed {\n      code\n      message\n    }\n  }\n}": types.CompletionDocument,
    "query Usage($after: Cursor) {\n  usageLogs(first: 50, after: $after) {\n    nodes {\n      requestId\n      model\n      status\n      inputTokens\n      outputTokens\n      cost {\n        amount\n        currency\n      }\n      explanation {\n        label\n        tokens\n        rate\n        amount {\n          amount\n        }\n      }\n    }\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n  }\n}": types.UsageDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "subscription Completion($input: CompletionInput!, $after: Cursor) {\n  completion(input: $input, after: $after) {\n    __typename\n    ... on CompletionStarted {\n      cursor\n      model\n      provider\n    }\n    ... on CompletionDelta {\n      cursor\n      choice\n      text\n    }\n    ... on CompletionFinished {\n      cursor\n      finishReason\n      usage {\n        inputTokens\n        outputTokens\n      }\n      cost {\n        amount\n      }\n    }\n    ... on CompletionFailed {\n      code\n      message\n    }\n  }\n}"): typeof import('./graphql.ts').CompletionDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query Usage($after: Cursor) {\n  usageLogs(first: 50, after: $after) {\n    nodes {\n      requestId\n      model\n      status\n      inputTokens\n      outputTokens\n      cost {\n        amount\n        currency\n      }\n      explanation {\n        label\n        tokens\n        rate\n        amount {\n          amount\n        }\n      }\n    }\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n  }\n}"): typeof import('./graphql.ts').UsageDocument;


export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}
