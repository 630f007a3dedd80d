import type { ReactNode } from 'react';

export function Logo({ size = 24 }: { readonly size?: number }): ReactNode {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden className="shrink-0">
      <rect width="32" height="32" rx="8" fill="#0b6b5d" />
      <path d="M8 11h9M8 16h16M15 21h9" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
    </svg>
  );
}
