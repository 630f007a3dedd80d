import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { eventIdOf } from '../../../src/gateway/event-id.ts';
import { fromGlobalId, toGlobalId } from '../../../src/graphql/relay/global-id.ts';
import { joinTeam } from '../../browser/membership.ts';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z
    .array(z.object({ message: z.string(), extensions: z.object({ code: z.string(), param: z.string().nullish() }) }))
    .optional(),
});
type Credential = Readonly<Record<string, string>>;

const create =
  'mutation ($input: CreateDatasetRunInput!) { createDatasetRun(input: $input) { id name status itemCount } }';
const read = `query ($id: ID!) { datasetRun(id: $id) {
  id name status failureReason startedAt completedAt itemCount scorers temperature maxTokens
  dataset { id } createdBy { id name }
  models { model total completed failed costUsd inputTokens outputTokens latencyP50Ms latencyP95Ms outputTokensPerSecond waitingFor
    scores { scorer average count } errors { code count }
    common { items costUsd inputTokens outputTokens latencyP50Ms latencyP95Ms outputTokensPerSecond scores { scorer average count } } }
} }`;
const results = `query ($id: ID!, $first: Int, $after: Cursor, $failed: Boolean, $different: Boolean) { datasetRun(id: $id) {
  results(first: $first, after: $after, onlyFailed: $failed, onlyDifferent: $different) {
    pageInfo { hasNextPage endCursor }
    nodes { position item { id output } outputs {
      model status text isReadable toolCalls errorCode errorMessage costUsd durationMs inputTokens outputTokens usageLogId
      scores { scorer value }
    } }
  }
} }`;

describe('dataset runs', () => {
  let account: TestAccount;
  let other: TestAccount;
  let datasetId = '';
  let runId = '';
  const logs: string[] = [];

  beforeAll(async () => {
    [account, other] = await Promise.all([newAccount(), newAccount()]);
    await ask('mutation { updateContentLogging(input: { level: FULL }) { id } }');
    datasetId = (await ask('mutation { createDataset(name: "Mails") { id } }')).data.createDataset.id;
    for (const content of ['First', 'Second']) logs.push(await send(content));
    await ask('mutation ($input: AddToDatasetInput!) { addToDataset(input: $input) { added } }', {
      input: { datasetId, usageLogIds: logs },
    });
    const route = { name: 'other-chat', targets: [{ model: 'sandbox/chat' }] };
    await ask('mutation ($input: SaveRouteInput!) { saveRoute(input: $input) { id } }', { input: route });
  });

  afterAll(() => Promise.all([account.dispose(), other.dispose()]));

  async function ask(query: string, variables: object = {}, credential: Credential = bearer(account.apiKey)) {
    const response = await fetch(`${account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...credential },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = answerSchema.parse(await response.json());
    return { data: data ?? {}, code: errors?.[0]?.extensions.code ?? null, message: errors?.[0]?.message ?? '' };
  }

  /** @returns the ID of its usage log, once that is stored */
  async function send(content: string): Promise<string> {
    const response = await fetch(`${account.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...bearer(account.apiKey), 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content }] }),
    });
    await response.text();
    const id = toGlobalId('UsageLog', eventIdOf(response.headers.get('x-request-id') ?? '') ?? '');
    const isStored = async (): Promise<boolean> =>
      (await ask('query ($id: ID!) { usageLog(id: $id) { id } }', { id })).data.usageLog !== null;
    await vi.waitUntil(isStored, 120_000);
    return id;
  }

  async function ended(id: string) {
    await expect
      .poll(async () => (await ask(read, { id })).data.datasetRun.status, { timeout: 120_000 })
      .not.toMatch(/QUEUED|RUNNING|CANCELLING/);
    return (await ask(read, { id })).data.datasetRun;
  }

  it('run the items against each model, and state cost, latency, tokens and scores', async () => {
    const models = ['sandbox/chat', 'other-chat'];
    const input = { datasetId, models, scorers: ['EXACT_MATCH', 'JSON_VALID'] };
    const { createDatasetRun: created } = (await ask(create, { input })).data;
    expect(created).toMatchObject({ name: 'sandbox/chat, other-chat', itemCount: 2 });
    runId = created.id;
    const run = await ended(runId);
    expect(run).toMatchObject({ status: 'COMPLETED', failureReason: null, dataset: { id: datasetId } });
    expect(Date.parse(run.completedAt)).toBeGreaterThanOrEqual(Date.parse(run.startedAt));
    expect(run.models).toHaveLength(2);
    for (const [at, model] of models.entries()) {
      const figures = run.models[at];
      expect(figures).toMatchObject({
        model,
        total: 2,
        completed: 2,
        failed: 0,
        costUsd: '0',
        errors: [],
        waitingFor: null,
      });
      // The responses of the sandbox are a function of the request.
      expect(figures.scores).toEqual([
        { scorer: 'EXACT_MATCH', average: 1, count: 2 },
        { scorer: 'JSON_VALID', average: 0, count: 2 },
      ]);
      expect(figures.outputTokens).toBeGreaterThan(0);
      const { costUsd, inputTokens, outputTokens, latencyP50Ms, latencyP95Ms, outputTokensPerSecond, scores } = figures;
      const own = { costUsd, inputTokens, outputTokens, latencyP50Ms, latencyP95Ms, outputTokensPerSecond, scores };
      expect(figures.common).toEqual({ ...own, items: 2 });
      expect(figures.latencyP95Ms).toBeGreaterThanOrEqual(figures.latencyP50Ms);
    }
  });

  it('list the outputs of each item beside each other, with links to the usage log', async () => {
    const first = (await ask(results, { id: runId, first: 1 })).data.datasetRun.results;
    expect(first.pageInfo.hasNextPage).toBe(true);
    const [{ position, item, outputs }] = first.nodes;
    expect(position).toBe(1);
    expect(outputs).toHaveLength(2);
    for (const output of outputs) {
      expect(output).toMatchObject({
        status: 'COMPLETED',
        errorCode: null,
        toolCalls: null,
        costUsd: '0',
        isReadable: true,
      });
      expect(output.text).toBe(item.output.content);
      expect(output.scores).toEqual([
        { scorer: 'EXACT_MATCH', value: 1 },
        { scorer: 'JSON_VALID', value: 0 },
      ]);
      const log = 'query ($id: ID!) { usageLog(id: $id) { outputTokens durationMs } }';
      const { usageLog } = (await ask(log, { id: output.usageLogId })).data;
      expect(usageLog).toEqual({ outputTokens: output.outputTokens, durationMs: output.durationMs });
    }
    const next = (await ask(results, { id: runId, first: 5, after: first.pageInfo.endCursor })).data.datasetRun.results;
    expect(next).toMatchObject({ pageInfo: { hasNextPage: false }, nodes: [{ position: 2 }] });
    for (const filter of [{ failed: true }, { different: true }])
      expect((await ask(results, { id: runId, ...filter })).data.datasetRun.results.nodes).toEqual([]);
    expect((await ask(results, { id: runId, after: 'none' })).code).toBe('bad_user_input');
  });

  it('are no batches of clients', async () => {
    expect((await ask('{ batches { nodes { id } } }')).data.batches.nodes).toEqual([]);
  });

  it('find items whose outputs differ, and keep parameters of their own', async () => {
    const input = { datasetId, models: ['sandbox/chat'], temperature: 0.5, maxTokens: 3, name: ' Short ' };
    const { id } = (await ask(create, { input })).data.createDatasetRun;
    expect(await ended(id)).toMatchObject({ name: 'Short', temperature: 0.5, maxTokens: 3, scorers: [] });
    const { nodes } = (await ask(results, { id })).data.datasetRun.results;
    expect(nodes.map(({ outputs }: { outputs: { outputTokens: number }[] }) => outputs[0]?.outputTokens)).toEqual([
      3, 3,
    ]);
    const list = 'query ($id: ID!) { dataset(id: $id) { runs(first: 1) { pageInfo { hasNextPage } nodes { id } } } }';
    expect((await ask(list, { id: datasetId })).data.dataset.runs).toEqual({
      pageInfo: { hasNextPage: true },
      nodes: [{ id }],
    });
  });

  it('have each output judged by a model, whose requests are tagged with the run', async () => {
    const judge = { model: 'sandbox/chat', rubric: 'It is polite.', scale: 'PASS_FAIL' };
    const input = { datasetId, models: ['sandbox/chat', 'other-chat'], scorers: ['EXACT_MATCH'], judge };
    const { id } = (await ask(create, { input })).data.createDatasetRun;
    expect(await ended(id)).toMatchObject({ status: 'COMPLETED', scorers: ['EXACT_MATCH', 'JUDGE'] });
    const judged = `query ($id: ID!) { datasetRun(id: $id) {
      judge { model rubric scale }
      models { scores { scorer average count } judge { scored failed costUsd inputTokens waitingFor errors { code count } } }
      results { nodes { outputs { scores { scorer value } judgement {
        status score reason isReadable errorCode errorMessage costUsd usageLogId
      } } } }
    } }`;
    const run = (await ask(judged, { id })).data.datasetRun;
    expect(run.judge).toEqual(judge);
    for (const model of run.models) {
      expect(model.judge).toMatchObject({ scored: 2, failed: 0, costUsd: '0', waitingFor: null, errors: [] });
      expect(model.judge.inputTokens).toBeGreaterThan(0);
      expect(model.scores).toMatchObject([{ scorer: 'EXACT_MATCH' }, { scorer: 'JUDGE', count: 2 }]);
    }
    const outputs = run.results.nodes.flatMap((node: { outputs: object[] }) => node.outputs);
    expect(outputs).toHaveLength(4);
    for (const { scores, judgement } of outputs) {
      expect(judgement).toMatchObject({ status: 'COMPLETED', isReadable: true, errorCode: null, errorMessage: null });
      expect([0, 1]).toContain(judgement.score);
      expect(judgement.reason).toEqual(expect.any(String));
      expect(scores).toContainEqual({ scorer: 'JUDGE', value: judgement.score });
      const log = 'query ($id: ID!) { usageLog(id: $id) { tags { name value } } }';
      expect((await ask(log, { id: judgement.usageLogId })).data.usageLog.tags).toEqual([
        { name: 'dataset_run_judge', value: fromGlobalId('DatasetRun', id) },
      ]);
    }
    // Without the fields of the content nothing is decrypted, and the score is known.
    const { results: page } = (
      await ask('query ($id: ID!) { datasetRun(id: $id) { results { nodes { outputs { scores { value } } } } } }', {
        id,
      })
    ).data.datasetRun;
    expect(page.nodes[0].outputs[0].scores).toHaveLength(2);
    expect((await ask('mutation ($id: ID!) { deleteDatasetRun(id: $id) }', { id })).code).toBeNull();
  });

  it('refuse what cannot run, and say why', async () => {
    const empty = (await ask('mutation { createDataset(name: "Empty") { id } }')).data.createDataset.id;
    const cases: readonly (readonly [object, string, RegExp])[] = [
      [{ datasetId: empty, models: ['sandbox/chat'] }, 'bad_user_input', /empty/],
      [{ datasetId, models: [] }, 'bad_user_input', /at least 1/],
      [{ datasetId, models: Array.from({ length: 9 }, (_, at) => `m${at}`) }, 'bad_user_input', /at most 8/],
      [{ datasetId, models: ['sandbox/chat', 'chat'] }, 'bad_user_input', /same model/],
      [{ datasetId, models: ['sandbox/chat', 'sandbox/chat'] }, 'bad_user_input', /twice/],
      [{ datasetId, models: ['sandbox/embedding'] }, 'bad_user_input', /does not generate text/],
      [{ datasetId, models: ['nobody/nothing'] }, 'model_not_found', /nobody\/nothing/],
      [{ datasetId, models: ['sandbox/chat'], temperature: 3 }, 'bad_user_input', /temperature/],
      [{ datasetId, models: ['sandbox/chat'], maxTokens: 0 }, 'bad_user_input', /maxTokens/],
      [{ datasetId, models: ['sandbox/chat'], scorers: ['JUDGE'] }, 'bad_user_input', /needs a model/],
      [{ datasetId, models: ['sandbox/chat'], judge: { model: 'nobody/judge' } }, 'model_not_found', /nobody\/judge/],
      [
        { datasetId, models: ['sandbox/chat'], judge: { model: 'sandbox/embedding' } },
        'bad_user_input',
        /does not generate text/,
      ],
      [{ datasetId: toGlobalId('Dataset', crypto.randomUUID()), models: ['sandbox/chat'] }, 'not_found', /dataset/],
    ];
    for (const [input, code, message] of cases) {
      const answer = await ask(create, { input });
      expect([answer.code, answer.message]).toEqual([code, expect.stringMatching(message)]);
    }
  });

  it('have a cost estimated before they start, from the tokens of the logged requests', async () => {
    const query = `query ($datasetId: ID!, $models: [String!]!, $judge: String, $maxTokens: Int) {
      datasetRunEstimate(datasetId: $datasetId, models: $models, judge: $judge, maxTokens: $maxTokens) {
        models { model inputTokens outputTokens costUsd } judge { model inputTokens outputTokens costUsd }
      }
    }`;
    const log = 'query ($id: ID!) { usageLog(id: $id) { inputTokens outputTokens } }';
    const logged = await Promise.all(logs.map(async (id) => (await ask(log, { id })).data.usageLog));
    const sum = (name: string): number => logged.reduce((total: number, each) => total + Number(each[name]), 0);
    const given = { datasetId, models: ['sandbox/chat', 'other-chat'], judge: 'sandbox/chat', maxTokens: 3 };
    const input = sum('inputTokens');
    const free = { inputTokens: input, outputTokens: 6, costUsd: '0' };
    expect((await ask(query, given)).data.datasetRunEstimate).toEqual({
      models: [
        { model: 'sandbox/chat', ...free },
        { model: 'other-chat', ...free },
      ],
      judge: { model: 'sandbox/chat', inputTokens: 2 * (input + 12) + 1_600, outputTokens: 480, costUsd: '0' },
    });
    const whole = (await ask(query, { datasetId, models: ['sandbox/chat'] })).data.datasetRunEstimate;
    expect(whole).toMatchObject({ models: [{ outputTokens: sum('outputTokens') }], judge: null });
    expect((await ask(query, { datasetId, models: ['nobody/nothing'] })).code).toBe('model_not_found');
    expect((await ask(query, { datasetId, models: [] })).code).toBe('bad_user_input');
    expect((await ask(query, given, bearer(other.apiKey))).code).toBe('not_found');
  });

  it('of another account are not found', async () => {
    const stranger = bearer(other.apiKey);
    expect((await ask(read, { id: runId }, stranger)).data).toEqual({ datasetRun: null });
    expect((await ask(create, { input: { datasetId, models: ['sandbox/chat'] } }, stranger)).code).toBe('not_found');
    for (const name of ['cancelDatasetRun(id: $id) { id }', 'deleteDatasetRun(id: $id)'])
      expect((await ask(`mutation ($id: ID!) { ${name} }`, { id: runId }, stranger)).code).toBe('not_found');
    expect((await ask(read, { id: runId })).data.datasetRun.status).toBe('COMPLETED');
  });

  it('are read by those who read datasets, and created by those who change them', async () => {
    const email = `vera-${crypto.randomUUID()}@example.com`;
    const person = { name: 'Vera', email, password: 'correct horse battery' };
    const headers = { cookie: await joinTeam(account, person, 'VIEWER') };
    expect((await ask(read, { id: runId }, headers)).data.datasetRun.id).toBe(runId);
    expect((await ask(create, { input: { datasetId, models: ['sandbox/chat'] } }, headers)).code).toBe('forbidden');
    expect((await ask('mutation ($id: ID!) { deleteDatasetRun(id: $id) }', { id: runId }, headers)).code).toBe(
      'forbidden',
    );
  });

  it('outlive their dataset without content, and are recorded in the audit log without any', async () => {
    expect((await ask('mutation ($id: ID!) { deleteDataset(id: $id) }', { id: datasetId })).code).toBeNull();
    const run = (await ask(read, { id: runId })).data.datasetRun;
    expect(run).toMatchObject({ status: 'COMPLETED', dataset: null, itemCount: 2 });
    expect(run.models[0]).toMatchObject({ completed: 2, scores: [{ average: 1 }, { average: 0 }] });
    expect((await ask(results, { id: runId })).data.datasetRun.results.nodes).toEqual([]);
    const list = '{ datasetRuns(first: 10) { nodes { id dataset { id } } } }';
    expect((await ask(list)).data.datasetRuns.nodes).toContainEqual({ id: runId, dataset: null });
    expect((await ask(list, {}, bearer(other.apiKey))).data.datasetRuns.nodes).toEqual([]);
    const remove = 'mutation ($id: ID!) { deleteDatasetRun(id: $id) }';
    expect((await ask(remove, { id: runId })).data.deleteDatasetRun).toBe(runId);
    expect((await ask(read, { id: runId })).data.datasetRun).toBeNull();
    const audit =
      '{ auditLog(filter: { action: "dataset_run.*" }, first: 10) { nodes { action changes { field after } } } }';
    const { nodes } = (await ask(audit)).data.auditLog;
    expect(nodes.map(({ action }: { action: string }) => action)).toEqual([
      'dataset_run.deleted',
      'dataset_run.deleted',
      'dataset_run.created',
      'dataset_run.created',
      'dataset_run.created',
    ]);
    expect(nodes[2].changes).toContainEqual({ field: 'judge', after: 'sandbox/chat' });
    expect(nodes[3].changes).toContainEqual({ field: 'models', after: 'sandbox/chat' });
    expect(JSON.stringify(nodes)).not.toContain('First');
  });
});

function bearer(apiKey: string): Record<string, string> {
  return { authorization: `Bearer ${apiKey}` };
}
