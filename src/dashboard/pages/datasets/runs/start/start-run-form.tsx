import { useState, type ReactNode } from 'react';
import type { Failure } from '../../../../data/failure.ts';
import { numberOf, selectedValuesOf, textOf } from '../../../../data/form.ts';
import { useMutation } from '../../../../data/graphql/hooks.ts';
import { Button } from '../../../../design/button.tsx';
import { Checkbox, FieldGroup, Input } from '../../../../design/field.tsx';
import { FormFailure, useFieldError } from '../../../../design/form-failure.tsx';
import { SelectedModels } from '../../../../design/selected-models.tsx';
import { Failed } from '../../../../design/state.tsx';
import { CreateDatasetRunDocument, type DatasetScorer } from '../../../../generated/graphql.ts';
import { MAX_RUN_MODELS, MAX_TEMPERATURE, type RunDefaults } from '../../search.ts';
import { allScorers, scorerExplanation, scorerTitle } from '../scorers.ts';
import { CostEstimate } from './cost-estimate.tsx';
import { JudgeFields, judgeOf } from './judge-fields.tsx';
import { RequestCount } from './request-count.tsx';

/** The input members whose errors a field shows. */
const fields = /^(name|models(\.\d+)?|scorers(\.\d+)?|judge(\.(model|rubric))?|temperature|maxTokens)$/;

const MAX_TOKENS = 10_000_000;

/** Starts a run of a dataset. */
export function StartRunForm({
  datasetId,
  itemCount,
  models,
  defaults,
  onModels,
  onJudge,
  onStarted,
}: {
  readonly datasetId: string;
  readonly itemCount: number;
  readonly models: readonly string[];
  readonly defaults: RunDefaults;
  readonly onModels: (models: readonly string[]) => void;
  readonly onJudge: (judge: string | undefined) => void;
  readonly onStarted: (runId: string) => void;
}): ReactNode {
  const [create, pending] = useMutation(CreateDatasetRunDocument);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [hasNoModel, setHasNoModel] = useState(false);
  const [maxTokens, setMaxTokens] = useState(defaults.maxTokens ?? null);
  const changeModels = (next: readonly string[]): void => {
    setHasNoModel(false);
    // Its index may refer to another model now.
    if (failure?.param?.startsWith('models')) setFailure(null);
    onModels(next);
  };
  const submit = async (form: FormData): Promise<void> => {
    setFailure(null);
    setHasNoModel(models.length === 0);
    if (models.length === 0) return;
    const result = await create({
      input: {
        datasetId,
        name: textOf(form, 'name') || null,
        models: [...models],
        scorers: selectedValuesOf(form, 'scorers', allScorers),
        judge: judgeOf(form, defaults.judge),
        temperature: numberOf(form, 'temperature'),
        maxTokens: numberOf(form, 'maxTokens'),
      },
    });
    setFailure(result.failure);
    if (result.data) onStarted(result.data.createDatasetRun.id);
  };
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(new FormData(event.currentTarget));
      }}
    >
      <FormFailure failure={failure}>
        <NameField />
        <ModelsField models={models} hasNone={hasNoModel} onChange={changeModels} />
        <ScorersField defaults={defaults.scorers ?? []} />
        <JudgeFields judge={defaults.judge} defaults={defaults} onJudge={onJudge} />
        <div className="grid gap-1.5 md:grid-cols-2">
          <NumberField
            name="temperature"
            label="Temperature"
            min={0}
            max={MAX_TEMPERATURE}
            step="any"
            defaultValue={defaults.temperature}
          />
          <NumberField
            name="maxTokens"
            label="Max tokens"
            min={1}
            step={1}
            defaultValue={defaults.maxTokens}
            onChange={({ target }) => setMaxTokens(tokensOf(target.value))}
          />
        </div>
      </FormFailure>
      <RequestCount itemCount={itemCount} models={models.length} isJudged={defaults.judge !== undefined} />
      {models.length === 0 ? null : (
        <CostEstimate datasetId={datasetId} models={models} judge={defaults.judge} maxTokens={maxTokens} />
      )}
      {failure && !fields.test(failure.param ?? '') ? <Failed failure={failure} /> : null}
      <div>
        <Button variant="primary" type="submit" pending={pending}>
          Start run
        </Button>
      </div>
    </form>
  );
}

/** Null where the estimate has no valid limit. */
function tokensOf(text: string): number | null {
  const tokens = Number(text);
  return Number.isInteger(tokens) && tokens >= 1 && tokens <= MAX_TOKENS ? tokens : null;
}

function NameField(): ReactNode {
  const error = useFieldError((param) => param === 'name');
  return (
    <Input label="Name" name="name" maxLength={200} placeholder="By default the names of the models" error={error} />
  );
}

function ModelsField({
  models,
  hasNone,
  onChange,
}: {
  readonly models: readonly string[];
  readonly hasNone: boolean;
  readonly onChange: (models: readonly string[]) => void;
}): ReactNode {
  const error = useFieldError((param) => /^models(\.|$)/.test(param));
  return (
    <SelectedModels
      capability="chat"
      models={models}
      max={MAX_RUN_MODELS}
      error={error ?? (hasNone ? 'Add at least one model.' : null)}
      onChange={onChange}
    />
  );
}

function ScorersField({ defaults }: { readonly defaults: readonly DatasetScorer[] }): ReactNode {
  const error = useFieldError((param) => /^scorers(\.|$)/.test(param));
  return (
    <FieldGroup legend="Scorers" hint="Each rates every output. The expected output is that of the item.">
      {allScorers.map((scorer) => (
        <Checkbox
          key={scorer}
          name="scorers"
          value={scorer}
          defaultChecked={defaults.includes(scorer)}
          label={scorerTitle(scorer)}
          hint={scorerExplanation(scorer)}
        />
      ))}
      {error ? (
        <p role="alert" className="text-bad">
          {error}
        </p>
      ) : null}
    </FieldGroup>
  );
}

function NumberField({
  name,
  ...input
}: { readonly name: string } & Pick<
  Parameters<typeof Input>[0],
  'label' | 'min' | 'max' | 'step' | 'defaultValue' | 'onChange'
>): ReactNode {
  const error = useFieldError((param) => param === name);
  return <Input {...input} name={name} type="number" placeholder="As in each item" error={error} />;
}
