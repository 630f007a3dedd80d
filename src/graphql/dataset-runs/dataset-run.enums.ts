import { registerEnumType } from 'type-graphql';

export enum DatasetRunStatus {
  QUEUED = 'QUEUED',
  RUNNING = 'RUNNING',
  COMPLETED = 'COMPLETED',
  CANCELLING = 'CANCELLING',
  CANCELLED = 'CANCELLED',
  FAILED = 'FAILED',
}
registerEnumType(DatasetRunStatus, {
  name: 'DatasetRunStatus',
  description: 'The status of a dataset run.',
  valuesConfig: {
    QUEUED: { description: 'No request has started.' },
    RUNNING: { description: 'Requests are running.' },
    COMPLETED: { description: 'Every request has ended. Some may have failed.' },
    CANCELLING: { description: 'No more requests start; those that are running end.' },
    CANCELLED: { description: 'It was cancelled before every request had run.' },
    FAILED: { description: '`failureReason` says why it ended before every request had run.' },
  },
});

export enum DatasetRunOutputStatus {
  PENDING = 'PENDING',
  COMPLETED = 'COMPLETED',
  FAILED = 'FAILED',
  CANCELLED = 'CANCELLED',
}
registerEnumType(DatasetRunOutputStatus, {
  name: 'DatasetRunOutputStatus',
  description: 'The status of one request of a dataset run.',
  valuesConfig: {
    PENDING: { description: 'It has not ended.' },
    COMPLETED: { description: 'It has an output.' },
    FAILED: { description: '`errorCode` and `errorMessage` say why it failed.' },
    CANCELLED: { description: 'The run ended before it started.' },
  },
});

export enum DatasetScorer {
  EXACT_MATCH = 'EXACT_MATCH',
  CONTAINS = 'CONTAINS',
  JSON_VALID = 'JSON_VALID',
  JSON_MATCH = 'JSON_MATCH',
  TOOL_CALLS_MATCH = 'TOOL_CALLS_MATCH',
  JUDGE = 'JUDGE',
}
registerEnumType(DatasetScorer, {
  name: 'DatasetScorer',
  description: 'How outputs are scored. The expected output is that of the item.',
  valuesConfig: {
    EXACT_MATCH: { description: 'The text is the expected one, apart from whitespace.' },
    CONTAINS: { description: 'The expected text occurs in the text, apart from whitespace.' },
    JSON_VALID: { description: 'The text is JSON.' },
    JSON_MATCH: { description: 'The text is JSON of the same value as the expected one.' },
    TOOL_CALLS_MATCH: { description: 'It calls the same functions with the same arguments, in any order.' },
    JUDGE: { description: 'A model scores the output by a rubric.' },
  },
});

export enum DatasetJudgeScale {
  PASS_FAIL = 'PASS_FAIL',
  ZERO_TO_ONE = 'ZERO_TO_ONE',
}
registerEnumType(DatasetJudgeScale, {
  name: 'DatasetJudgeScale',
  description: 'The scores that a judge gives.',
  valuesConfig: {
    PASS_FAIL: { description: '1 for an output that meets the rubric, otherwise 0.' },
    ZERO_TO_ONE: { description: 'Any number from 0 to 1.' },
  },
});
