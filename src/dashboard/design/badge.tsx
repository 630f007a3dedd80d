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
  wraps = false,
  children,
}: {
  readonly tone?: Tone;
  /** For texts of any length, such as names that users choose. */
  readonly wraps?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <span
      className={`inline-flex min-h-2.5 items-center gap-0.5 rounded-small px-0.75 text-small ${wraps ? 'py-0.25 wrap-anywhere' : 'whitespace-nowrap'} ${tones[tone]}`}
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
