import { Check, Copy } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { IconButton } from './button.tsx';

const FEEDBACK_MS = 1_600;

export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }): ReactNode {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), FEEDBACK_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <IconButton label={copied ? 'Copied' : label} onClick={() => void copy(text).then(setCopied)}>
      {copied ? <Check size={16} aria-hidden className="text-good" /> : <Copy size={16} aria-hidden />}
    </IconButton>
  );
}

/** The clipboard API requires a secure context; over plain HTTP, falls back to `execCommand`. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.setAttribute('readonly', '');
    area.className = 'fixed top-0 opacity-0';
    const holder = document.querySelector('[role="dialog"]') ?? document.body;
    holder.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}
