import type { ReactNode } from 'react';

const tones = {
  neutral: 'bg-hover text-soft',
  accent: 'bg-accent-wash text-accent',
  good: 'bg-good-wash text-good',
  warn: 'bg-warn-wash text-warn',
  bad: 'bg-bad-wash text-bad',
} as const;

export type Tone = keyof typeof tones;

export function Badge({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <span
      className={`inline-flex h-2.5 items-center gap-0.5 rounded-small px-0.75 text-small whitespace-nowrap ${tones[tone]}`}
    >
      {children}
    </span>
  );
}

/** No answer of the sandbox is a model's: said wherever one of its models shows. */
export function SandboxBadge({ model }: { readonly model: string }): ReactNode {
  return model.startsWith('sandbox/') ? <Badge tone="warn">Sandbox, no AI model</Badge> : null;
}

/** Video is young: said wherever a model of it shows. */
export function BetaBadge({ capabilities }: { readonly capabilities: readonly string[] }): ReactNode {
  return capabilities.includes('video') ? <Badge tone="accent">Beta</Badge> : null;
}
