import { RotateCw } from 'lucide-react';
import { useDeferredValue, type ReactNode } from 'react';
import { useQuery } from '../../data/graphql/hooks.ts';
import { Badge, SandboxBadge } from '../../design/badge.tsx';
import { IconButton } from '../../design/button.tsx';
import { Input } from '../../design/field.tsx';
import { duration, money, percent } from '../../design/format.ts';
import { Section } from '../../design/page.tsx';
import { Failed, SkeletonRows } from '../../design/state.tsx';
import { PreviewRouteDocument, type PreviewRouteQuery } from '../../generated/graphql.ts';
import { BreakerBadge } from '../providers/health-badge.tsx';
import { ModelInput } from './model-input.tsx';
import { orderNames } from './route-texts.ts';
import type { RoutesSearch } from './search.ts';

type Plan = NonNullable<PreviewRouteQuery['previewRoute']>;
type Step = Plan['steps'][number];

/** Shows the targets of a request in the order in which they would be tried, and why. It sends no request. */
export function Preview({
  search,
  onChange,
}: {
  readonly search: RoutesSearch;
  readonly onChange: (next: RoutesSearch) => void;
}): ReactNode {
  const model = useDeferredValue(search.preview ?? '');
  const request = {
    inputTokens: useDeferredValue(search.input),
    outputTokens: useDeferredValue(search.output),
    endUser: useDeferredValue(search.user),
  };
  const { data, failure, fetching, refetch } = useQuery(
    PreviewRouteDocument,
    { model, request },
    { pause: model === '' },
  );
  const plan = data?.previewRoute ?? null;
  return (
    <Section
      title="Preview routing"
      beside={
        plan ? (
          <IconButton label="Refresh the preview" onClick={refetch}>
            <RotateCw size={16} aria-hidden />
          </IconButton>
        ) : null
      }
    >
      <p className="text-soft">
        No request is sent. The preview shows the current order. Failing and rate-limited targets are last.
      </p>
      <div className="grid grid-cols-2 gap-1 md:grid-cols-[minmax(0,4fr)_minmax(0,2fr)_minmax(0,2fr)_minmax(0,3fr)]">
        <div className="max-md:col-span-2">
          <ModelInput
            key={(search.edit ?? search.preview === undefined) ? 'empty' : 'filled'}
            label="Route or model"
            defaultValue={search.preview ?? ''}
            placeholder="fast, or openai/gpt-5.5"
            onChange={(preview) => onChange({ preview: preview || undefined })}
          />
        </div>
        <Input
          label="Input tokens"
          type="number"
          min={0}
          max={100_000_000}
          defaultValue={search.input}
          placeholder="1,000"
          onChange={({ target }) => onChange({ input: numberOf(target.value) })}
        />
        <Input
          label="Output tokens"
          type="number"
          min={0}
          max={100_000_000}
          defaultValue={search.output}
          placeholder="500"
          onChange={({ target }) => onChange({ output: numberOf(target.value) })}
        />
        <div className="max-md:col-span-2">
          <Input
            label="End user"
            defaultValue={search.user}
            placeholder="For sticky routes"
            onChange={({ target }) => onChange({ user: target.value || undefined })}
          />
        </div>
      </div>
      <div aria-live="polite" className="flex flex-col gap-1.5">
        {model === '' ? null : failure ? (
          <Failed failure={failure} onRetry={refetch} />
        ) : data === null ? (
          <SkeletonRows rows={3} />
        ) : plan ? (
          <Steps plan={plan} />
        ) : fetching ? null : (
          <p>
            No target is available for “{model}”. A request for it is refused with{' '}
            <code className="font-mono">model_not_found</code>.
          </p>
        )}
      </div>
    </Section>
  );
}

function numberOf(text: string): number | undefined {
  return text === '' ? undefined : Math.max(0, Math.trunc(Number(text)));
}

function Steps({ plan }: { readonly plan: Plan }): ReactNode {
  const rules = [
    orderNames[plan.order],
    plan.sticky ? 'each end user stays on one target' : null,
    plan.steps.length === 1 ? `retried up to ${plan.retries} times` : null,
    plan.parameters === 'DROP' ? 'unsupported parameters are dropped' : 'unsupported parameters are refused',
    plan.cacheSeconds ? `responses cached for ${plan.cacheSeconds} s` : null,
    plan.larger ? `longer inputs go to ${plan.larger}` : null,
  ].filter(Boolean);
  return (
    <>
      <p className="text-soft">{rules.join(', ')}.</p>
      <ol aria-label="Targets in order" className="figures flex flex-col">
        {plan.steps.map((step, index) => (
          <StepRow
            key={`${step.model}-${index}`}
            step={step}
            position={index + 1}
            showsShare={plan.sticky || plan.order === 'WEIGHTED'}
          />
        ))}
      </ol>
    </>
  );
}

function StepRow({
  step,
  position,
  showsShare,
}: {
  readonly step: Step;
  readonly position: number;
  readonly showsShare: boolean;
}): ReactNode {
  const facts = [
    showsShare ? `weight ${percent(step.share, 1)}` : null,
    step.firstTokenMs == null ? null : `first token ${duration(step.firstTokenMs)}`,
    step.tokensPerSecond == null ? null : `${Math.round(step.tokensPerSecond)} tokens/s`,
    step.estimatedCost ? `about ${money(step.estimatedCost.amount)}` : 'price unknown',
  ].filter(Boolean);
  return (
    <li className="grid grid-cols-[32px_minmax(0,1fr)_auto] items-center gap-x-1 border-t border-line py-1.5">
      <span
        aria-hidden
        className={`grid size-3 place-items-center rounded-large text-small ${position === 1 ? 'bg-accent text-on-accent' : 'bg-hover text-soft'}`}
      >
        {position}
      </span>
      <div className="min-w-0">
        <div className="flex min-w-0 flex-wrap items-center gap-x-1 gap-y-0.5">
          <span className="min-w-0 font-mono wrap-anywhere">{step.model}</span>
          {step.ownConnection ? <Badge>Your key</Badge> : null}
          <SandboxBadge model={step.model} />
        </div>
        <div className="text-soft">{capitalise(step.reason)}.</div>
        <div className="text-small text-soft">{facts.join(', ')}</div>
      </div>
      <BreakerBadge state={step.breaker} />
    </li>
  );
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
